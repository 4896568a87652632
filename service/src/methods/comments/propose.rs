//! Proposes that threads were dealt with, that they no longer fit the code, or where one belongs.

use std::collections::BTreeMap;

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::short_names;
use crate::pointing::deleted_lines::point;
use crate::pointing::message::point_at_message;
use crate::positions::overtaken::uncommitted_lines;
use crate::request::Request;
use crate::trust::pace::check_pace;
use crate::writing::records::{
    PendingRecords, Visibility, audience_of, home_of, read_for_answer, threads_done, write_records,
};
use postil_core::notes::DraftPin;
use postil_core::record::{Body, CommentAnchor, ProposalRecord, Record, RecordId};
use postil_core::review::{Thread, ThreadState};
use postil_protocol::{Advice, DoneReply, Fault, FaultCode, Propose};

/// Proposes that threads were dealt with at a commit or no longer fit its code, or where one belongs; nothing else changes.
pub fn propose(request: &Request, actor: &Actor, asked: &Propose) -> Result<DoneReply, Fault> {
    let mut threads: Vec<Thread<'_>> = Vec::new();
    for name in &asked.threads {
        let thread = request.notes.thread_named(name)?;
        if thread.state() != ThreadState::Open {
            let message = format!("{} is not open", short_names(request, &[thread.id()]));
            return Err(Fault::new(FaultCode::Refused, message).advise(Advice::ListThreads));
        }
        if threads.iter().all(|other| other.id() != thread.id()) {
            threads.push(thread);
        }
    }
    if asked.place.is_some() && asked.message.is_some() {
        return Err(Fault::new(
            FaultCode::InvalidParams,
            "a thread belongs to a file or to a message, not both",
        ));
    }
    if (asked.place.is_some() || asked.message.is_some()) && threads.len() > 1 {
        return Err(Fault::new(FaultCode::InvalidParams, "a place can be proposed for one thread only"));
    }
    if asked.obsolete && (asked.place.is_some() || asked.message.is_some()) {
        let message = "a thread that no longer fits the code has no place";
        return Err(Fault::new(FaultCode::InvalidParams, message));
    }
    let place = asked.place.as_ref().map(|place| point(request, place)).transpose()?;
    let on_message = asked.message.as_ref().map(|place| point_at_message(request, place)).transpose()?;
    let is_placed = place.is_some() || on_message.is_some();
    let done = match (&asked.done, is_placed) {
        (Some(rev), _) => Some(request.work_tree.commit_named(rev)?),
        (None, true) => None,
        (None, false) => Some(request.head.ok_or_else(|| {
            Fault::new(FaultCode::NoSuchPlace, "no commit to name").advise(Advice::CommitFirst)
        })?),
    };
    let (anchor, pins): (Option<CommentAnchor>, Vec<DraftPin>) = match (place, on_message) {
        (Some(place), _) => (Some(place.anchor.into()), place.pins),
        (None, on) => (on.map(|on| CommentAnchor::Message(on.anchor)), Vec::new()),
    };
    check_pace(request, actor, threads.len())?;
    // What is done in the files as they are may be committed later.
    let uncommitted = match done.filter(|_| asked.done.is_none()) {
        Some(head) => uncommitted_lines(request, &threads, head)?,
        None => BTreeMap::new(),
    };
    let of: Vec<RecordId> = threads.iter().map(|thread| thread.id()).collect();
    // Those of drafts are drafts, each with those of its review.
    let mut audiences: Vec<(Visibility, PendingRecords)> = Vec::new();
    for thread in &threads {
        let body = ProposalRecord {
            author: actor.author.clone(),
            at: actor.at,
            seq: thread.next_seq(),
            via: actor.via.clone(),
            of: thread.id(),
            done,
            obsolete: asked.obsolete,
            lines: uncommitted.get(&thread.id()).copied(),
            anchor: anchor.clone(),
            text: asked.text.trim().to_owned(),
        };
        let record = Record::new(&Body::Proposal(body)).or_fault()?;
        let review = thread.root_comment().and_then(|root| root.said().review);
        let audience = match audience_of(request, thread.id()) {
            Visibility::Shared if asked.draft => Visibility::Draft(review),
            audience => audience,
        };
        let home = home_of(request, thread.id())?;
        match audiences.iter_mut().find(|(known, _)| *known == audience) {
            Some((_, said)) => said.records.push((home, record)),
            None => {
                let said = PendingRecords {
                    records: vec![(home, record)],
                    pins: pins.clone(),
                    ..PendingRecords::default()
                };
                audiences.push((audience, said));
            }
        }
    }
    let message = format!("Propose something for {}", short_names(request, &of));
    let mut notes = request.notes.version.notes;
    for (audience, said) in audiences {
        notes = write_records(request, actor, said, audience, &message)?;
    }
    Ok(threads_done(read_for_answer(request).as_ref().unwrap_or(request), &of, notes))
}
