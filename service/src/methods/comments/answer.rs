//! Accepts or declines what was proposed for threads.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::notes::names::short_names;
use crate::positions::in_head::positions_of;
use crate::positions::overtaken::standing_proposals;
use crate::request::Request;
use crate::writing::records::add_to;
use crate::writing::reply_record::reply_record;
use crate::writing::status_record::{NewStatus, status_record};
use postil_core::notes::DraftPin;
use postil_core::record::{Body, CommentAnchor, MoveRecord, Record, RecordId, StatusWord};
use postil_core::review::{Comment, Proposal, ProposalState, Thread};
use postil_protocol::{
    Advice, AnswerProposals, DoneReply, Fault, FaultCode, Freshness, HeadName, ProposalAnswer,
};

/// Accepts or declines the newest pending proposal of each thread: resolves it, moves it, or leaves it as it is.
pub fn answer(request: &Request, actor: &Actor, asked: &AnswerProposals) -> Result<DoneReply, Fault> {
    let (mut of, mut records, mut pins): (Vec<RecordId>, Vec<Record>, Vec<DraftPin>) = <_>::default();
    for name in &asked.threads {
        let thread = request.notes.thread_named(name)?;
        if of.contains(&thread.id()) {
            continue;
        }
        let none = || {
            let message = format!("nothing is proposed for {}", short_names(request, &[thread.id()]));
            Fault::new(FaultCode::NotFound, message).advise(Advice::ListThreads)
        };
        let mut pending = thread.proposals().into_iter().rfind(|one| one.state == ProposalState::Pending);
        if asked.answer == ProposalAnswer::Accept && pending.is_some() {
            pending = Some(newest_standing(request, thread)?);
        }
        let (proposal, root) = pending.zip(thread.root_comment()).ok_or_else(none)?;
        let moved = proposal.fact.said.anchor.as_ref().filter(|_| asked.answer == ProposalAnswer::Accept);
        match moved {
            Some(anchor) if proposal.fact.said.done.is_none() => {
                pins.extend(anchor.file().into_iter().flat_map(DraftPin::of_anchor));
                records.push(moved_to(actor, thread, root, anchor, proposal)?);
                // A move has no place for a reason.
                let reason = asked.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
                if let Some(reason) = reason {
                    of.push(thread.id());
                    records.push(reply_record(actor, thread, root.id(), reason.to_owned(), Vec::new())?);
                }
            }
            _ => records.push(status_of(request, actor, thread, asked, proposal)?),
        }
        of.push(thread.id());
    }
    let verb = match asked.answer {
        ProposalAnswer::Accept => "Accept",
        ProposalAnswer::Decline => "Decline",
    };
    let message = format!("{verb} what is proposed for {}", short_names(request, &of));
    add_to(request, actor, &of, records, pins, &message)
}

/// What can be accepted: nobody answered it, and no later change took it back.
fn newest_standing<'t>(request: &Request, thread: Thread<'t>) -> Result<Proposal<'t>, Fault> {
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let looked = positions_of(request, &files, Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    standing_proposals(request, &files, thread, entry).pop().ok_or_else(|| {
        let name = short_names(request, &[thread.id()]);
        let newest = thread.proposals().into_iter().rfind(|one| one.state == ProposalState::Pending);
        let is_uncommitted = newest.is_some_and(|one| one.fact.said.lines.is_some());
        let since = if is_uncommitted { "it was proposed" } else { "the commit that the proposal names" };
        let message = format!("the lines of {name} changed after {since}");
        Fault::new(FaultCode::Conflict, message).advise(Advice::ResolveInstead)
    })
}

fn moved_to(
    actor: &Actor,
    thread: Thread<'_>,
    root: &Comment,
    anchor: &CommentAnchor,
    proposal: Proposal<'_>,
) -> Result<Record, Fault> {
    let body = MoveRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: thread.next_seq(),
        via: actor.via.clone(),
        of: root.id(),
        over: root.moves().over(),
        anchor: anchor.clone(),
        proposal: Some(proposal.fact.id),
    };
    Record::new(&Body::Move(body)).or_fault()
}

fn status_of(
    request: &Request,
    actor: &Actor,
    thread: Thread<'_>,
    asked: &AnswerProposals,
    proposal: Proposal<'_>,
) -> Result<Record, Fault> {
    let (word, by) = match asked.answer {
        // A commit is named only if something was done there.
        ProposalAnswer::Accept => {
            let said = &proposal.fact.said;
            let is_there = !said.obsolete && said.lines.is_none();
            (StatusWord::Resolved, said.done.filter(|_| is_there))
        }
        ProposalAnswer::Decline => (StatusWord::Open, None),
    };
    let new =
        NewStatus { by, proposal: Some(proposal.fact.id), ..NewStatus::new(word, asked.reason.as_deref()) };
    status_record(request, actor, thread.id(), thread.statuses(), new)
}
