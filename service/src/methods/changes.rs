//! Reports what happened since a mark.

use std::collections::BTreeSet;

use postil_core::record::RecordId;
use postil_core::review::{ReviewGroup, Thread};
use postil_protocol::{
    Changes, ChangesReply, Fault, Hex, MAX_CHANGES, MAX_CHANGES_BYTES, MAX_LIST, PlacedView, ReviewView,
    ThreadView,
};

use crate::changes::changed_positions::{PlacesNow, SeenBefore, WasSeen};
use crate::changes::earlier_positions::EarlierPositions;
use crate::changes::mark::MarkParts;
use crate::changes::records_since::SaidSince;
use crate::changes::topic::WantedPart;
use crate::convert::hex::hex;
use crate::lists::visible::VisibleThreads;
use crate::notes::index::NotesIndex;
use crate::notes::subject::Subject;
use crate::request::{Request, seen_from};
use crate::reviews::follow_up::followed;
use crate::view::signatures::signed_review;

/// Reports what happened since a mark, to a client that got the mark with an earlier answer.
pub fn changes(request: &Request, ask: &Changes) -> Result<ChangesReply, Fault> {
    let wanted = WantedPart::of(request, &ask.topic)?;
    let seen = seen_from(request, &ask.head)?;
    let mut now = PlacesNow::find(request, &ask.head, &seen)?;
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
        warnings: Vec::new(),
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
    let Some(said) = SaidSince::find(request, since.version) else {
        reply.reset = true;
        return Ok(reply);
    };
    let before = SeenBefore::find(request, &ask.head, &seen, &since, &said);
    reply.reset = said.has_gaps || matches!(before, SeenBefore::Unknown);

    let visible: Vec<Thread<'_>> = visible_threads(request, &seen, &said.threads);
    let views = now.views(&visible)?;
    let told: BTreeSet<RecordId> = visible.iter().map(|thread| thread.id()).collect();
    let is_wanted = |thread: Thread<'_>, view: &ThreadView| {
        wanted.has_thread(view) || (said.turned.contains(&thread.id()) && wanted.had_before_move(thread))
    };
    let views = visible.iter().zip(views).filter(|(thread, view)| is_wanted(**thread, view));
    reply.threads = views.map(|(_, view)| view).collect();
    reply.reviews = reviews(request, &said, &wanted)?;
    let earlier = EarlierPositions::find(request, since.places.as_ref());
    let gone = gone(request, &seen, &said, &before);
    earlier.work_out(request, &gone.unseen, before.branches())?;
    reply.gone = gone.of(&wanted, &said, &request.notes, &earlier);
    let placed = now.since(since.places.as_ref(), &before, &earlier, &told, &said.turned)?;
    let is_gone: BTreeSet<Hex> = gone.unseen.iter().map(|thread| hex(thread.id())).collect();
    let is_wanted = |placed: &PlacedView| {
        let thread = RecordId::from_hex(placed.thread.as_str());
        let thread = thread.and_then(|id| request.notes.threads.thread(id));
        thread.is_none_or(|thread| wanted.has_placed(&request.notes, thread, placed))
    };
    reply.placed =
        placed.into_iter().filter(|placed| !is_gone.contains(&placed.thread)).filter(is_wanted).collect();
    reply.changes = changes_about(request, &said, &reply.threads, &reply.reviews, &reply.gone);
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
    wanted.map(|group| Ok(signed_review(request, group, Some(&followed(request, group)?), None))).collect()
}

/// What is not here any more, and what went out of view.
struct NoLongerVisible<'a> {
    /// The threads that are not here any more.
    lost: Vec<RecordId>,
    /// The threads that went out of view with what was said about them.
    unseen: Vec<Thread<'a>>,
    /// The reviews that are not here any more.
    reviews: Vec<RecordId>,
}

fn gone<'a>(
    request: &'a Request,
    seen: &VisibleThreads,
    said: &SaidSince,
    before: &SeenBefore,
) -> NoLongerVisible<'a> {
    let threads = &request.notes.threads;
    let is_lost = |id: &&RecordId| threads.thread(**id).is_none();
    let went = |thread: &Thread<'_>| match before.of(thread.id(), None) {
        WasSeen::Because(_) => true,
        WasSeen::No => false,
        // Only what puts it elsewhere decides that.
        WasSeen::Unknown => said.turned.contains(&thread.id()),
    };
    let unseen = said.threads.iter().filter(|id| !seen.threads.contains_key(id));
    NoLongerVisible {
        lost: said.threads.iter().filter(is_lost).copied().collect(),
        unseen: unseen.filter_map(|id| threads.thread(*id)).filter(went).collect(),
        reviews: said.reviews.iter().filter(|id| threads.review(**id).is_none()).copied().collect(),
    }
}

impl NoLongerVisible<'_> {
    /// Those that were part of what is wanted.
    fn of(
        &self,
        wanted: &WantedPart,
        said: &SaidSince,
        notes: &NotesIndex,
        earlier: &EarlierPositions,
    ) -> Vec<Hex> {
        let lost = self.lost.iter().filter(|id| wanted.had(said.gone.get(id)));
        let was_wanted = |thread: &&Thread<'_>| {
            let was = earlier.place(**thread);
            wanted.had_thread(notes, **thread, was.as_ref().and_then(|was| was.path.as_ref()))
        };
        let unseen = self.unseen.iter().filter(was_wanted).map(|thread| hex(thread.id()));
        let reviews = self.reviews.iter().map(hex).filter(|id| wanted.has_review(id));
        let mut gone: Vec<Hex> = lost.map(hex).chain(unseen).collect();
        gone.sort_unstable();
        gone.extend(reviews);
        gone
    }
}

/// The changes to the threads and reviews that are reported.
fn changes_about(
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
