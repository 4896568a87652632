//! The record of a reply, and of a reason that no status can carry.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use postil_core::record::{Body, CommentRecord, Record, RecordId, StatusRecord, SuggestedFile};
use postil_core::review::{History, Thread};
use postil_protocol::Fault;

/// Makes a reply to a comment of a thread.
pub fn reply_record(
    actor: &Actor,
    thread: Thread<'_>,
    parent: RecordId,
    text: String,
    suggestion: Vec<SuggestedFile>,
) -> Result<Record, Fault> {
    let review = thread.root_comment().and_then(|root| root.said().review);
    let body = CommentRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: thread.next_seq(),
        via: actor.via.clone(),
        review,
        parent: Some(parent),
        anchor: None,
        text,
        severity: None,
        tags: Vec::new(),
        suggestion,
    };
    Record::new(&Body::Comment(body)).or_fault()
}

/// Makes a reply of the reason for a status that `of` already has, so that the words are not lost.
///
/// `None` if there is no reason, or if the status has it already: then somebody sent the same request again.
pub fn reason_as_reply(
    actor: &Actor,
    thread: Thread<'_>,
    of: RecordId,
    statuses: &History<StatusRecord>,
    reason: Option<&str>,
) -> Result<Option<Record>, Fault> {
    let Some(reason) = reason.map(str::trim).filter(|reason| !reason.is_empty()) else { return Ok(None) };
    let is_saved = statuses.contenders().any(|status| {
        status.said.author.email == actor.author.email && status.said.reason.as_deref() == Some(reason)
    });
    if is_saved {
        return Ok(None);
    }
    reply_record(actor, thread, of, reason.to_owned(), Vec::new()).map(Some)
}
