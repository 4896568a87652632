//! What becomes of threads: resolved, opened again, taken back, put elsewhere.

use postil_core::notes::DraftPin;
use postil_core::record::{Body, Record, RecordId, Status, StatusWord};
use postil_core::review::{History, Thread, ThreadState};
use postil_protocol::{DoneReply, Fault, FaultCode, HeadName, Move, MoveTo, Place, Withdraw};

use super::caller::Caller;
use super::gone::point;
use super::inquire::thread_view;
use super::point::point_as_told;
use super::request::{Request, positions_of};
use super::sign::with_signatures;
use super::speak::{add_to, look_again, threads_done};
use super::trouble::OrFault as _;
use super::view;

/// Resolves threads, or opens them again; those that are so already stay as they are.
pub fn mark(
    request: &Request,
    caller: &Caller,
    names: &[String],
    word: StatusWord,
    reason: Option<&str>,
) -> Result<DoneReply, Fault> {
    let mut threads: Vec<Thread<'_>> = Vec::new();
    for name in names {
        let thread = request.book.thread_named(name)?;
        if threads.iter().all(|other| other.id() != thread.id()) {
            threads.push(thread);
        }
    }
    let wanted = if word == StatusWord::Open { ThreadState::Open } else { ThreadState::Resolved };
    let is_so = |thread: &&Thread<'_>| thread.state() == wanted && !thread.statuses().is_disputed();
    let all: Vec<RecordId> = threads.iter().map(|thread| thread.id()).collect();
    let changed: Vec<&Thread<'_>> = threads.iter().filter(|thread| !is_so(thread)).collect();
    if changed.is_empty() {
        return threads_done(request, &all, request.book.edition.notes);
    }
    let mut records = Vec::new();
    for thread in &changed {
        records.push(status_record(request, caller, thread.id(), thread.statuses(), word, reason)?);
    }
    let of: Vec<RecordId> = changed.iter().map(|thread| thread.id()).collect();
    let verb = if word == StatusWord::Open { "Reopen" } else { "Resolve" };
    let reply =
        add_to(request, caller, &of, records, Vec::new(), &format!("{verb} {}", short_names(request, &of)))?;
    if of.len() == all.len() {
        Ok(reply)
    } else {
        threads_done(&look_again(request)?, &all, request.desk.edition()?.notes)
    }
}

/// Takes one's own comments back; drafts are given up.
pub fn withdraw(request: &Request, caller: &Caller, withdraw: &Withdraw) -> Result<DoneReply, Fault> {
    let mut comments = Vec::new();
    for name in &withdraw.comments {
        let comment = request.book.comment_named(name)?;
        if comment.said().author.email != caller.author.email {
            let author = &comment.said().author.name;
            let message =
                format!("{} is {author}'s, and not yours to withdraw", short_names(request, &[comment.id()]));
            return Err(Fault::new(FaultCode::NotYours, message));
        }
        comments.push(comment);
    }
    let (drafts, shared): (Vec<_>, Vec<_>) =
        comments.into_iter().partition(|comment| request.book.drafts.contains(&comment.id()));
    let mut reply = DoneReply { threads: Vec::new(), notes: request.book.edition.notes.map(view::hex) };
    if !drafts.is_empty() {
        let mut gone = Vec::new();
        for comment in drafts {
            let thread = request.book.threads.thread_of(comment.id()).expect("every comment is in a thread");
            reply.threads.push(thread_view(request, thread, postil_protocol::Detail::Full)?);
            let all = view::records_of(thread).into_iter().filter(|id| request.book.drafts.contains(id));
            gone.extend(if thread.id() == comment.id() { all.collect() } else { vec![comment.id()] });
        }
        let gone: Vec<RecordId> = with_signatures(&request.book.threads, gone).into_iter().collect();
        request.desk.store.drop_drafts(&gone, &caller.committer()).or_fault()?;
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
        records.push(status_record(request, caller, comment.id(), comment.statuses(), word, reason)?);
    }
    let of: Vec<RecordId> = standing.iter().map(|comment| comment.id()).collect();
    let done = add_to(
        request,
        caller,
        &of,
        records,
        Vec::new(),
        &format!("Withdraw {}", short_names(request, &of)),
    )?;
    reply.threads.extend(done.threads);
    reply.notes = done.notes;
    Ok(reply)
}

/// Puts a comment elsewhere by hand.
pub fn move_to(request: &Request, caller: &Caller, asked: &Move) -> Result<DoneReply, Fault> {
    let comment = request.book.comment_named(&asked.of)?;
    let thread = request.book.threads.thread_of(comment.id()).expect("every comment is in a thread");
    if thread.id() != comment.id() {
        let message = "an answer has no place of its own; move the comment that it answers";
        let root = request.book.prefixes.shorten(thread.id());
        return Err(Fault::new(FaultCode::Refused, message).hint(format!("that is {root}")));
    }
    let pointing = match &asked.to {
        MoveTo::Place(place) => point(request, place)?,
        MoveTo::Candidate(number) => point_as_told(request, &candidate(request, thread, *number)?)?,
    };
    let name = pointing.name();
    let pins: Vec<DraftPin> = pointing.pins;
    let body = postil_core::record::Move {
        author: caller.author.clone(),
        at: caller.at,
        seq: thread.next_seq(),
        of: comment.id(),
        over: comment.moves().over(),
        anchor: pointing.anchor,
    };
    let record = Record::new(&Body::Move(body)).or_fault()?;
    let message = format!("Move {} to {name}", short_names(request, &[comment.id()]));
    add_to(request, caller, &[comment.id()], vec![record], pins, &message)
}

/// One of the places that were considered for a thread, or the one where it is.
fn candidate(request: &Request, thread: Thread<'_>, number: u32) -> Result<Place, Fault> {
    let wait = postil_protocol::Freshness::Wait;
    let looked = positions_of(request, &HeadName::WorkTree, wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id());
    let found = entry.and_then(|entry| match number.checked_sub(1) {
        None => Some((entry.path.clone()?, entry.range)),
        Some(at) => {
            let candidate = entry.candidates.get(at as usize)?;
            Some((candidate.path.clone(), Some(candidate.range)))
        }
    });
    let count = entry.map_or(0, |entry| entry.candidates.len());
    let (path, range) = found.ok_or_else(|| {
        let message = format!("there is no candidate {number}: there are {count}");
        Fault::new(FaultCode::NoSuchPlace, message)
            .hint("`postil show` lists them with their numbers; a location such as `FILE:12` goes always")
    })?;
    let columns = range.and_then(postil_core::record::Range::columns);
    let span = range.map(|range| postil_protocol::Span {
        start: range.span().first(),
        end: range.span().last(),
        start_column: columns.map(|columns| columns.start.get()),
        end_column: columns.map(|columns| columns.end.get()),
    });
    Ok(Place { span, ..Place::file(path.as_bytes()) })
}

/// Makes a status of a thread or review.
pub fn status_record(
    request: &Request,
    caller: &Caller,
    of: RecordId,
    statuses: &History<Status>,
    status: StatusWord,
    reason: Option<&str>,
) -> Result<Record, Fault> {
    let body = Status {
        author: caller.author.clone(),
        at: caller.at,
        seq: request.book.threads.next_seq(of).unwrap_or_default(),
        of,
        over: statuses.over(),
        status,
        reason: reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned),
    };
    Record::new(&Body::Status(body)).or_fault()
}

/// Short names, for messages.
pub fn short_names(request: &Request, ids: &[RecordId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| request.book.prefixes.shorten(*id).to_string()).collect();
    names.join(", ")
}
