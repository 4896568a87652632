//! Takes one's own comments back.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::short_names;
use crate::request::Request;
use crate::view;
use crate::view::current_thread::thread_view;
use crate::writing::records::{add_to, threads_done};
use crate::writing::reply_record::reason_as_reply;
use crate::writing::sign::with_signatures;
use crate::writing::status_record::{NewStatus, status_record};
use postil_core::record::{RecordId, StatusWord};
use postil_core::review::ThreadState;
use postil_protocol::{Advice, DoneReply, Fault, FaultCode, Mark, UnchangedView, Withdraw};

/// Takes one's own comments back; drafts are deleted.
///
/// A comment that is withdrawn already stays as it is, and a reason becomes a reply to it.
pub fn withdraw(request: &Request, actor: &Actor, withdraw: &Withdraw) -> Result<DoneReply, Fault> {
    let mut comments = Vec::new();
    for name in &withdraw.comments {
        let comment = request.notes.comment_named(name)?;
        if comment.said().author.email != actor.author.email {
            let author = &comment.said().author.name;
            let message = format!(
                "cannot withdraw {}: it is {author}'s comment",
                short_names(request, &[comment.id()])
            );
            return Err(Fault::new(FaultCode::NotYours, message));
        }
        comments.push(comment);
    }
    let (drafts, shared): (Vec<_>, Vec<_>) =
        comments.into_iter().partition(|comment| request.notes.drafts.contains(&comment.id()));
    let reason = withdraw.reason.as_deref();
    if let Some(draft) = drafts.first()
        && reason.is_some_and(|reason| !reason.trim().is_empty())
    {
        let name = short_names(request, &[draft.id()]);
        let message =
            format!("cannot keep a reason for {name}: it is a draft, and is deleted when withdrawn");
        return Err(Fault::new(FaultCode::Refused, message).advise(Advice::LeaveReasonOut));
    }
    let notes = request.notes.version.notes.map(view::hex);
    let mut reply = DoneReply {
        threads: Vec::new(),
        unchanged: Vec::new(),
        notes,
        warnings: Vec::new(),
        mark: Mark::default(),
    };
    if !drafts.is_empty() {
        let mut gone = Vec::new();
        for comment in drafts {
            let thread = request.notes.threads.thread_of(comment.id()).expect("every comment is in a thread");
            reply.threads.push(thread_view(request, thread, postil_protocol::Detail::Full)?);
            let all = view::records_of(thread).into_iter().filter(|id| request.notes.drafts.contains(id));
            gone.extend(if thread.id() == comment.id() { all.collect() } else { vec![comment.id()] });
        }
        let gone: Vec<RecordId> = with_signatures(&request.notes.threads, gone).into_iter().collect();
        request.repository.store.drop_drafts(&gone, &actor.committer()).or_fault()?;
    }
    let (mut of, mut records) = (Vec::new(), Vec::new());
    let mut is_changed = false;
    for comment in &shared {
        let (id, statuses) = (comment.id(), comment.statuses());
        if comment.state() == ThreadState::Withdrawn {
            let thread = request.notes.threads.thread_of(id).expect("every comment is in a thread");
            let said = reason_as_reply(actor, thread, id, statuses, reason)?;
            let said_as = said.as_ref().map(|said| view::hex(said.id()));
            reply.unchanged.push(UnchangedView { of: view::hex(id), reply: said_as });
            records.extend(said);
        } else {
            is_changed = true;
            records.push(status_record(
                request,
                actor,
                id,
                statuses,
                NewStatus::new(StatusWord::Withdrawn, reason),
            )?);
        }
        of.resize(records.len(), id);
    }
    if records.is_empty() {
        let of: Vec<RecordId> = shared.iter().map(|comment| comment.id()).collect();
        reply.threads.extend(threads_done(request, &of, None).threads);
        return Ok(reply);
    }
    let verb = if is_changed { "Withdraw" } else { "Reply to" };
    let message = format!("{verb} {}", short_names(request, &of));
    let done = add_to(request, actor, &of, records, Vec::new(), &message)?;
    reply.threads.extend(done.threads);
    reply.notes = done.notes;
    Ok(reply)
}
