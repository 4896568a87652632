//! Takes one's own comments back.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::short_names;
use crate::request::Request;
use crate::view;
use crate::view::one::thread_view;
use crate::writing::records::{add_to, threads_done};
use crate::writing::sign::with_signatures;
use crate::writing::status_record::status_record;
use postil_core::record::{RecordId, StatusWord};
use postil_core::review::ThreadState;
use postil_protocol::{DoneReply, Fault, FaultCode, Mark, Withdraw};

/// Takes one's own comments back; drafts are given up.
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
    let notes = request.notes.version.notes.map(view::hex);
    let mut reply = DoneReply { threads: Vec::new(), notes, mark: Mark::default() };
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
    let standing: Vec<_> =
        shared.iter().filter(|comment| comment.state() != ThreadState::Withdrawn).collect();
    if standing.is_empty() {
        let of: Vec<RecordId> = shared.iter().map(|comment| comment.id()).collect();
        reply.threads.extend(threads_done(request, &of, None)?.threads);
        return Ok(reply);
    }
    let mut records = Vec::new();
    for comment in &standing {
        let (reason, word) = (withdraw.reason.as_deref(), StatusWord::Withdrawn);
        records.push(status_record(request, actor, comment.id(), comment.statuses(), word, reason)?);
    }
    let of: Vec<RecordId> = standing.iter().map(|comment| comment.id()).collect();
    let done =
        add_to(request, actor, &of, records, Vec::new(), &format!("Withdraw {}", short_names(request, &of)))?;
    reply.threads.extend(done.threads);
    reply.notes = done.notes;
    Ok(reply)
}
