//! Resolves threads, or opens them again.

use crate::convert::actor::Actor;
use crate::notes::names::short_names;
use crate::request::Request;
use crate::view::hex;
use crate::writing::records::{add_to, read_for_answer, threads_done};

use crate::writing::reply_record::reason_as_reply;
use crate::writing::status_record::{NewStatus, status_record};
use postil_core::record::{RecordId, StatusWord};
use postil_core::review::{Thread, ThreadState};
use postil_protocol::{DoneReply, Fault, UnchangedView};

/// Resolves threads, or opens them again.
///
/// A thread that is so already stays as it is, and a reason becomes a reply in it.
pub fn mark(
    request: &Request,
    actor: &Actor,
    names: &[String],
    new: NewStatus<'_>,
) -> Result<DoneReply, Fault> {
    let word = new.word;
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
    let (mut of, mut records, mut unchanged) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_changed = false;
    for thread in &threads {
        let (id, statuses) = (thread.id(), thread.statuses());
        if is_so(&thread) {
            let reply = reason_as_reply(actor, *thread, id, statuses, new.reason)?;
            unchanged.push(UnchangedView { of: hex(id), reply: reply.as_ref().map(|reply| hex(reply.id())) });
            of.extend(reply.is_some().then_some(id));
            records.extend(reply);
        } else {
            is_changed = true;
            of.push(id);
            records.push(status_record(request, actor, id, statuses, new)?);
        }
    }
    if records.is_empty() {
        let reply = threads_done(request, &all, request.notes.version.notes);
        return Ok(DoneReply { unchanged, ..reply });
    }
    let verb = match word {
        _ if !is_changed => "Reply to",
        StatusWord::Open => "Reopen",
        _ => "Resolve",
    };
    let message = format!("{verb} {}", short_names(request, &of));
    let mut reply = add_to(request, actor, &of, records, Vec::new(), &message)?;
    if of.len() != all.len() {
        let again = read_for_answer(request);
        let now = again.as_ref().unwrap_or(request);
        reply.threads = threads_done(now, &all, None).threads;
    }
    Ok(DoneReply { unchanged, ..reply })
}
