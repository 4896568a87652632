//! Puts a comment elsewhere by hand.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::notes::names::short_names;
use crate::pointing::deleted_lines::point;
use crate::pointing::point::anchor_of_place;
use crate::positions::in_head::positions_of;
use crate::request::Request;
use crate::writing::records::add_to;
use postil_core::notes::DraftPin;
use postil_core::record::{Body, EntryOrigin, Record};
use postil_core::review::Thread;
use postil_protocol::{Advice, DoneReply, Fault, FaultCode, HeadName, Move, MoveTo, Place};

/// Puts a comment elsewhere by hand.
pub fn move_to(request: &Request, actor: &Actor, asked: &Move) -> Result<DoneReply, Fault> {
    let comment = request.notes.comment_named(&asked.of)?;
    let thread = request.notes.threads.thread_of(comment.id()).expect("every comment is in a thread");
    if thread.id() != comment.id() {
        let message = "a reply has no position of its own; move the comment it replies to";
        let thread = request.notes.prefixes.shorten(thread.id()).to_string();
        return Err(Fault::new(FaultCode::Refused, message).advise(Advice::MoveThread { thread }));
    }
    let pointing = match &asked.to {
        MoveTo::Place(place) => point(request, place)?,
        MoveTo::Candidate(number) => anchor_of_place(request, &candidate(request, thread, *number)?)?,
    };
    let name = pointing.name();
    let pins: Vec<DraftPin> = pointing.pins;
    let body = postil_core::record::MoveRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: thread.next_seq(),
        via: actor.via.clone(),
        of: comment.id(),
        over: comment.moves().over(),
        anchor: pointing.anchor.into(),
        proposal: None,
    };
    let record = Record::new(&Body::Move(body)).or_fault()?;
    let message = format!("Move {} to {name}", short_names(request, &[comment.id()]));
    add_to(request, actor, &[comment.id()], vec![record], pins, &message)
}

/// One of the places that were considered for a thread, or the one where it is.
pub(crate) fn candidate(request: &Request, thread: Thread<'_>, number: u32) -> Result<Place, Fault> {
    let wait = postil_protocol::Freshness::Wait;
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let looked = positions_of(request, &files, wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id());
    if number == 0 && entry.is_some_and(|entry| entry.origin == EntryOrigin::Elsewhere) {
        let message = "the position was computed elsewhere and is not certain enough to move a comment to";
        return Err(Fault::new(FaultCode::NoSuchPlace, message).advise(Advice::ChooseCandidate));
    }
    let found = entry.and_then(|entry| match number.checked_sub(1) {
        None => Some((entry.path.clone()?, entry.range)),
        Some(at) => {
            let candidate = entry.candidates.get(at as usize)?;
            Some((candidate.path.clone(), Some(candidate.range)))
        }
    });
    let count = entry.map_or(0, |entry| entry.candidates.len());
    let (path, range) = found.ok_or_else(|| {
        let message = format!("no place {number}; there are {count}");
        Fault::new(FaultCode::NoSuchPlace, message).advise(Advice::ChooseCandidate)
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
