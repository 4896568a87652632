//! Shares drafts.

use std::collections::BTreeSet;

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::{current_review, review_named};
use crate::request::Request;
use crate::view::hex;
use crate::writing::records::{read_for_answer, threads_done};
use crate::writing::sign::sign_drafts;
use postil_core::notes::{Draft, DraftsOf};
use postil_core::record::RecordId;
use postil_core::review::{Review, Thread};
use postil_protocol::{Fault, Mark, Publish, PublishReply, Scope};

/// Shares drafts.
pub fn publish(request: &Request, actor: &Actor, publish: &Publish) -> Result<PublishReply, Fault> {
    let reviews: Vec<RecordId> = match &publish.review {
        None => reviews_here(request),
        Some(name) => review_named(request, Some(name))?.reviews().map(Review::id).collect(),
    };
    let which = match (&publish.review, publish.scope) {
        (Some(_), _) => DraftsOf::Reviews(&reviews),
        (None, Scope::Seen) => DraftsOf::ReviewsOrNone(&reviews),
        (None, Scope::All) => DraftsOf::Anything,
    };
    let left = drafts_beside(request, which)?;
    sign_drafts(request, actor, which)?;
    let written = request.repository.store.publish(which, &actor.committer(), "Publish drafts").or_fault()?;
    let warnings = written.iter().flat_map(|written| &written.warnings);
    warnings.for_each(|warning| request.warnings.say(warning));
    let ids = written.as_ref().map(|written| written.ids.as_slice()).unwrap_or_default();
    let ids: Vec<RecordId> = ids.iter().copied().filter(|id| request.notes.drafts.contains(id)).collect();
    let notes = written.as_ref().and_then(|written| written.tip).or(request.notes.version.notes);
    let of = ids.iter().filter_map(|id| request.notes.threads.thread_of(*id)).map(Thread::id);
    let mut of: Vec<RecordId> = of.collect();
    // What was proposed for a thread is no comment of it.
    let others: BTreeSet<RecordId> =
        ids.iter().copied().filter(|id| request.notes.threads.comment(*id).is_none()).collect();
    if !others.is_empty() {
        let is_published = |thread: &Thread<'_>| {
            thread.proposals().iter().any(|proposal| others.contains(&proposal.fact.id))
        };
        of.extend(request.notes.threads.iter().filter(is_published).map(Thread::id));
    }
    let mut seen = BTreeSet::new();
    of.retain(|thread| seen.insert(*thread));
    let again = if of.is_empty() { None } else { read_for_answer(request) };
    let threads = threads_done(again.as_ref().unwrap_or(request), &of, None).threads;
    let published = ids.iter().map(hex).collect();
    let notes = notes.map(hex);
    Ok(PublishReply { published, threads, left, notes, warnings: Vec::new(), mark: Mark::default() })
}

/// How many drafts belong to reviews of something else than what is checked out.
pub fn drafts_elsewhere(request: &Request) -> Result<u32, Fault> {
    drafts_beside(request, DraftsOf::ReviewsOrNone(&reviews_here(request)))
}

/// The reviews that are shown as the one of what is checked out.
pub(crate) fn reviews_here(request: &Request) -> Vec<RecordId> {
    current_review(request).map(|group| group.reviews().map(Review::id).collect()).unwrap_or_default()
}

/// How many drafts are none of these.
pub(crate) fn drafts_beside(request: &Request, which: DraftsOf<'_>) -> Result<u32, Fault> {
    if request.notes.drafts.is_empty() {
        return Ok(0);
    }
    let drafts = request.repository.store.drafts().or_fault()?;
    let is_beside =
        |draft: &&Draft| request.notes.drafts.contains(&draft.record.id()) && !which.includes(draft);
    Ok(drafts.iter().filter(is_beside).count() as u32)
}
