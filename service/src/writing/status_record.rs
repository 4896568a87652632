//! The record that says that a thread or review is open, resolved or withdrawn.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::Request;
use postil_core::git::CommitId;
use postil_core::record::{Body, Record, RecordId, Seq, StatusRecord, StatusWord};
use postil_core::review::History;
use postil_protocol::Fault;

/// What a new status says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewStatus<'a> {
    /// The status.
    pub word: StatusWord,
    /// Why.
    pub reason: Option<&'a str>,
    /// The commit by which a thread was resolved.
    pub by: Option<CommitId>,
    /// The proposal that it answers.
    pub proposal: Option<RecordId>,
    /// Its number in the thread, if another record is written before it.
    pub seq: Option<Seq>,
}

impl<'a> NewStatus<'a> {
    /// A status with a reason.
    pub fn new(word: StatusWord, reason: Option<&'a str>) -> Self {
        Self { word, reason, by: None, proposal: None, seq: None }
    }
}

/// Makes a status of a thread or review.
pub fn status_record(
    request: &Request,
    actor: &Actor,
    of: RecordId,
    statuses: &History<StatusRecord>,
    new: NewStatus<'_>,
) -> Result<Record, Fault> {
    let body = StatusRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: new.seq.or_else(|| request.notes.threads.next_seq(of)).unwrap_or_default(),
        via: actor.via.clone(),
        of,
        over: statuses.over(),
        status: new.word,
        reason: new.reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned),
        by: new.by,
        proposal: new.proposal,
        source: None,
    };
    Record::new(&Body::Status(body)).or_fault()
}
