//! Puts a comment elsewhere by hand.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::notes::names::short_names;
use crate::pointing::deleted_lines::point;
use crate::pointing::message::{PointedMessage, point_at_message};
use crate::pointing::point::{Pointing, anchor_of_place};
use crate::positions::in_head::positions_of;
use crate::request::Request;
use crate::writing::records::add_to;
use postil_core::notes::DraftPin;
use postil_core::record::{Body, CommentAnchor, EntryOrigin, PositionState, Range, Record};
use postil_core::review::Thread;
use postil_protocol::{
    Advice, DoneReply, Fault, FaultCode, HeadName, MessagePlace, Move, MoveTo, Place, Span,
};

/// Puts a comment elsewhere by hand.
pub fn move_to(request: &Request, actor: &Actor, asked: &Move) -> Result<DoneReply, Fault> {
    let comment = request.notes.comment_named(&asked.of)?;
    let thread = request.notes.threads.thread_of(comment.id()).expect("every comment is in a thread");
    if thread.id() != comment.id() {
        let message = "a reply has no position of its own; move the comment it replies to";
        let thread = request.notes.prefixes.shorten(thread.id()).to_string();
        return Err(Fault::new(FaultCode::Refused, message).advise(Advice::MoveThread { thread }));
    }
    let (anchor, name, pins) = match &asked.to {
        MoveTo::Place(place) => on_file(point(request, place)?),
        MoveTo::Message(place) => on_message(point_at_message(request, place)?),
        MoveTo::Candidate(number) if thread.message().is_some() => {
            on_message(point_at_message(request, &message_now(request, thread, *number)?)?)
        }
        MoveTo::Candidate(number) => {
            on_file(anchor_of_place(request, &candidate(request, thread, *number)?)?)
        }
    };
    let body = postil_core::record::MoveRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: thread.next_seq(),
        via: actor.via.clone(),
        of: comment.id(),
        over: comment.moves().over(),
        anchor,
        proposal: None,
    };
    let record = Record::new(&Body::Move(body)).or_fault()?;
    let message = format!("Move {} to {name}", short_names(request, &[comment.id()]));
    add_to(request, actor, &[comment.id()], vec![record], pins, &message)
}

/// An anchor, what it is called, and what is kept for it.
type MoveTarget = (CommentAnchor, String, Vec<DraftPin>);

fn on_file(pointing: Pointing) -> MoveTarget {
    let name = pointing.name();
    (pointing.anchor.into(), name, pointing.pins)
}

fn on_message(pointed: PointedMessage) -> MoveTarget {
    let name = pointed.name();
    (CommentAnchor::Message(pointed.anchor), name, Vec::new())
}

/// The message where a thread is; there are no other candidates.
fn message_now(request: &Request, thread: Thread<'_>, number: u32) -> Result<MessagePlace, Fault> {
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let looked = positions_of(request, &files, postil_protocol::Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id());
    let entry = entry.filter(|entry| number == 0 && entry.state != PositionState::Orphaned);
    let found = entry.and_then(|entry| Some((entry.message.as_ref()?.commit, entry.range)));
    let (commit, range) = found.ok_or_else(|| {
        let message = format!("no place {number}; there are 0");
        Fault::new(FaultCode::NoSuchPlace, message).advise(Advice::ChooseCandidate)
    })?;
    Ok(MessagePlace { rev: commit.to_string(), span: range.map(span) })
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
    Ok(Place { span: range.map(span), ..Place::file(path.as_bytes()) })
}

fn span(range: Range) -> Span {
    let columns = range.columns();
    Span {
        start: range.span().first(),
        end: range.span().last(),
        start_column: columns.map(|columns| columns.start.get()),
        end_column: columns.map(|columns| columns.end.get()),
    }
}
