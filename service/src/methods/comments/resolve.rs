//! Resolves threads, or opens them again.

use crate::convert::actor::Actor;
use crate::notes::names::short_names;
use crate::request::Request;
use crate::writing::records::{add_to, read_again, threads_done};
use crate::writing::status_record::status_record;
use postil_core::record::{RecordId, StatusWord};
use postil_core::review::{Thread, ThreadState};
use postil_protocol::{DoneReply, Fault};

/// Resolves threads, or opens them again; those that are so already stay as they are.
pub fn mark(
    request: &Request,
    actor: &Actor,
    names: &[String],
    word: StatusWord,
    reason: Option<&str>,
) -> Result<DoneReply, Fault> {
    let mut threads: Vec<Thread<'_>> = Vec::new();
    for name in names {
        let thread = request.notes.thread_named(name)?;
        if threads.iter().all(|other| other.id() != thread.id()) {
            threads.push(thread);
        }
    }
    let wanted = if word == StatusWord::Open { ThreadState::Open } else { ThreadState::Resolved };
    let is_so = |thread: &&Thread<'_>| thread.state() == wanted && !thread.statuses().is_disputed();
    let all: Vec<RecordId> = threads.iter().map(|thread| thread.id()).collect();
    let changed: Vec<&Thread<'_>> = threads.iter().filter(|thread| !is_so(thread)).collect();
    if changed.is_empty() {
        return threads_done(request, &all, request.notes.version.notes);
    }
    let mut records = Vec::new();
    for thread in &changed {
        records.push(status_record(request, actor, thread.id(), thread.statuses(), word, reason)?);
    }
    let of: Vec<RecordId> = changed.iter().map(|thread| thread.id()).collect();
    let verb = if word == StatusWord::Open { "Reopen" } else { "Resolve" };
    let reply =
        add_to(request, actor, &of, records, Vec::new(), &format!("{verb} {}", short_names(request, &of)))?;
    if of.len() == all.len() {
        Ok(reply)
    } else {
        threads_done(&read_again(request)?, &all, request.repository.version()?.notes)
    }
}
