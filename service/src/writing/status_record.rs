//! The record that says that a thread or review is open, resolved or withdrawn.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::Request;
use postil_core::record::{Body, Record, RecordId, StatusRecord, StatusWord};
use postil_core::review::History;
use postil_protocol::Fault;

/// Makes a status of a thread or review.
pub fn status_record(
    request: &Request,
    actor: &Actor,
    of: RecordId,
    statuses: &History<StatusRecord>,
    status: StatusWord,
    reason: Option<&str>,
) -> Result<Record, Fault> {
    let body = StatusRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: request.notes.threads.next_seq(of).unwrap_or_default(),
        of,
        over: statuses.over(),
        status,
        reason: reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned),
    };
    Record::new(&Body::Status(body)).or_fault()
}
