//! Tells what happened since a mark.

use std::collections::BTreeSet;

use postil_core::record::RecordId;
use postil_core::review::{ReviewGroup, Thread};
use postil_protocol::{
    Changes, ChangesReply, Fault, Hex, MAX_CHANGES, MAX_CHANGES_BYTES, MAX_LIST, ReviewView, ThreadView,
};

use crate::changes::mark::MarkParts;
use crate::changes::places::{PlacesNow, SeenBefore, WasSeen};
use crate::changes::said::SaidSince;
use crate::changes::subject::Subject;
use crate::changes::topic::WantedPart;
use crate::lists::visible::VisibleThreads;
use crate::request::{Request, seen_from};
use crate::reviews::follow_up::followed;
use crate::view::signatures::told_review;
use crate::view::{self, hex};

/// Tells what happened since a mark, to somebody who listed threads at that mark.
pub fn changes(request: &Request, ask: &Changes) -> Result<ChangesReply, Fault> {
    let seen = seen_from(request, &ask.head)?;
    let mut now = PlacesNow::look(request, &ask.head, &seen)?;
    let mark = MarkParts { version: request.notes.version, places: Some(now.mark()) };
    let mut reply = ChangesReply {
        mark: mark.write(),
        reset: false,
        head: now.head_view()?,
        changes: Vec::new(),
        threads: Vec::new(),
        reviews: Vec::new(),
        gone: Vec::new(),
        placed: Vec::new(),
    };
    let Some(since) = &ask.since else {
        now.prepare()?;
        return Ok(reply);
    };
    if *since == reply.mark {
        return Ok(reply);
    }
    let Ok(since) = MarkParts::read(since) else {
        reply.reset = true;
        return Ok(reply);
    };
    let wanted = WantedPart::of(request, &ask.topic)?;
    let Some(said) = SaidSince::find(request, since.version) else {
        reply.reset = true;
        return Ok(reply);
    };
    let before = SeenBefore::find(request, &seen, since.version, since.places.as_ref());
    reply.reset = said.has_gaps || matches!(before, SeenBefore::Unknown);

    let visible: Vec<Thread<'_>> = visible_threads(request, &seen, &said.threads);
    let views = now.views(&visible)?;
    let told: BTreeSet<RecordId> = visible.iter().map(|thread| thread.id()).collect();
    reply.threads = views.into_iter().filter(|view| wanted.has_thread(view)).collect();
    reply.reviews = reviews(request, &said, &wanted)?;
    reply.gone = gone(request, &seen, &said, &before, &wanted);
    let placed = now.since(since.places.as_ref(), &before, &told, &said.turned)?;
    let gone: BTreeSet<&Hex> = reply.gone.iter().collect();
    let review = |id: &Hex| {
        let thread = request.notes.threads.thread(RecordId::from_hex(id.as_str())?)?;
        view::review_of(&request.notes, thread).map(hex)
    };
    reply.placed = placed
        .into_iter()
        .filter(|placed| !gone.contains(&placed.thread))
        .filter(|placed| wanted.has_placed(placed, review(&placed.thread).as_ref()))
        .collect();
    reply.changes = changes_told(request, &said, &reply.threads, &reply.reviews, &reply.gone);
    let words = |thread: &ThreadView| thread.comments.iter().map(|said| said.text.len()).sum::<usize>();
    let is_long = reply.threads.iter().map(words).sum::<usize>() > MAX_CHANGES_BYTES;
    if is_long || reply.threads.len() > MAX_CHANGES || reply.placed.len() > MAX_LIST as usize {
        reply = reply.without_words();
    }
    Ok(reply)
}

fn visible_threads<'a>(
    request: &'a Request,
    seen: &VisibleThreads,
    threads: &BTreeSet<RecordId>,
) -> Vec<Thread<'a>> {
    let visible = threads.iter().filter(|id| seen.threads.contains_key(id));
    visible.filter_map(|id| request.notes.threads.thread(*id)).collect()
}

/// The reviews about which something was said, as they are now.
fn reviews(request: &Request, said: &SaidSince, wanted: &WantedPart) -> Result<Vec<ReviewView>, Fault> {
    let groups = said.reviews.iter().filter_map(|id| request.notes.threads.group_of(*id));
    let wanted = groups.filter(|group| wanted.has_review(&hex(group.id())));
    wanted.map(|group| Ok(told_review(request, group, Some(&followed(request, group)?), None))).collect()
}

/// What is not here any more, and the threads that went out of view with what was said about them.
fn gone(
    request: &Request,
    seen: &VisibleThreads,
    said: &SaidSince,
    before: &SeenBefore,
    wanted: &WantedPart,
) -> Vec<Hex> {
    let threads = &request.notes.threads;
    let is_gone = |id: &&RecordId| match threads.thread(**id) {
        None => wanted.had(said.gone.get(id)),
        Some(_) if seen.threads.contains_key(id) => false,
        Some(_) => match before.of(**id, None) {
            WasSeen::Because(_) => true,
            WasSeen::No => false,
            // Only what puts it elsewhere decides that.
            WasSeen::Unknown => said.turned.contains(id),
        },
    };
    let reviews = said.reviews.iter().filter(|id| threads.review(**id).is_none());
    let reviews = reviews.filter(|id| wanted.has_review(&hex(**id)));
    said.threads.iter().filter(is_gone).chain(reviews).map(hex).collect()
}

/// What was said about the threads and reviews that are told of.
fn changes_told(
    request: &Request,
    said: &SaidSince,
    threads: &[ThreadView],
    reviews: &[ReviewView],
    gone: &[Hex],
) -> Vec<postil_protocol::ChangeView> {
    let told: BTreeSet<&Hex> = threads
        .iter()
        .map(|thread| &thread.id)
        .chain(reviews.iter().map(|review| &review.id))
        .chain(gone)
        .collect();
    let changes = said.changes.iter().map(|change| match change.of {
        Subject::Thread(thread) => change.view(thread),
        Subject::Review(review) => {
            let shown = request.notes.threads.group_of(review).map_or(review, ReviewGroup::id);
            change.view(shown)
        }
    });
    changes.filter(|change| told.contains(&change.of)).collect()
}
