//! What keeps a store in order: drafts that are shared, purges, positions that are written back.

use std::collections::BTreeSet;

use postil_core::git::{BlobId, CommitId, TreeId, history, tree};
use postil_core::notes::{Draft, DraftsOf, HeadPositions, Home};
use postil_core::record::{Anchor, Body, Purge, Record, RecordId, Seq, Side};
use postil_core::review::{Comment, Review, ReviewGroup, Thread, ThreadState};
use postil_protocol::{
    Fault, FaultCode, Freshness, HeadName, Publish, PublishReply, PurgeReply, Scope, SettleReply,
};

use super::applied::APPLIED;
use super::caller::Caller;
use super::desk::lock;
use super::fates::suggestions_of;
use super::lookout::{known_of, let_heads_go};
use super::placing::UNREADABLE;
use super::request::{Request, positions_of, seen_from};
use super::sign::{sign_drafts, signatures_of, with_signatures};
use super::target::{current_review, is_open, review_named};
use super::trouble::OrFault as _;
use super::view::{self, hex};

/// So many branches that are not checked out are settled at once; the others wait for the next time.
///
/// Fewer than the heads whose positions are kept in memory, so that what is checked out stays there.
const MAX_TIPS: usize = 6;

/// Shares drafts.
pub fn publish(request: &Request, caller: &Caller, publish: &Publish) -> Result<PublishReply, Fault> {
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
    sign_drafts(request, caller, which)?;
    let written = request.desk.store.publish(which, &caller.committer(), "Publish drafts").or_fault()?;
    let ids = written.as_ref().map(|written| written.ids.as_slice()).unwrap_or_default();
    let ids = ids.iter().filter(|id| request.book.drafts.contains(id));
    let notes = written.as_ref().and_then(|written| written.tip).or(request.book.edition.notes);
    Ok(PublishReply { published: ids.map(hex).collect(), left, notes: notes.map(hex) })
}

/// How many drafts belong to reviews of something else than what is checked out.
pub fn drafts_elsewhere(request: &Request) -> Result<u32, Fault> {
    drafts_beside(request, DraftsOf::ReviewsOrNone(&reviews_here(request)))
}

/// The reviews that are shown as the one of what is checked out.
fn reviews_here(request: &Request) -> Vec<RecordId> {
    current_review(request).map(|group| group.reviews().map(Review::id).collect()).unwrap_or_default()
}

/// How many drafts are none of these.
fn drafts_beside(request: &Request, which: DraftsOf<'_>) -> Result<u32, Fault> {
    if request.book.drafts.is_empty() {
        return Ok(0);
    }
    let drafts = request.desk.store.drafts().or_fault()?;
    let is_beside =
        |draft: &&Draft| request.book.drafts.contains(&draft.record.id()) && !which.includes(draft);
    Ok(drafts.iter().filter(is_beside).count() as u32)
}

/// Hides threads or single answers everywhere, for good.
pub fn purge(request: &Request, caller: &Caller, names: &[String]) -> Result<PurgeReply, Fault> {
    let threads = &request.book.threads;
    let mut of: BTreeSet<RecordId> = BTreeSet::new();
    let mut named: BTreeSet<RecordId> = BTreeSet::new();
    for name in names {
        match request.book.thread_named(name) {
            Ok(thread) => {
                let comment = request.book.comment_named(name);
                named.insert(comment.map_or(thread.id(), Comment::id));
                of.extend(part_of(request, thread, name));
            }
            // What fits several is never taken for something else.
            Err(fault) if fault.code != FaultCode::NotFound => return Err(fault),
            Err(fault) => match review_named(request, Some(name)) {
                Ok(group) => {
                    named.extend(group.reviews().map(Review::id));
                    of.extend(group.reviews().map(Review::id));
                }
                Err(_) => return Err(fault),
            },
        }
    }
    // A pin goes with the last comment that needs it.
    let stays: BTreeSet<BlobId> = threads
        .iter()
        .filter(|thread| !of.contains(&thread.id()))
        .filter_map(Thread::anchor)
        .filter_map(|anchor: &Anchor| anchor.blob)
        .collect();
    let gone = threads.iter().filter(|thread| of.contains(&thread.id()));
    let blobs: BTreeSet<BlobId> = gone
        .filter_map(Thread::anchor)
        .filter_map(|anchor| anchor.blob)
        .filter(|blob| !stays.contains(blob))
        .collect();
    let purge = Purge {
        author: caller.author.clone(),
        at: caller.at,
        seq: Seq::default(),
        of: with_signatures(threads, of).into_iter().collect(),
        blobs: blobs.into_iter().collect(),
    };
    let record = Record::new(&Body::Purge(purge.clone())).or_fault()?;
    let signature = signatures_of(request, &[&record])?.pop();
    let home = purge.of.iter().find_map(|id| threads.home(*id));
    let mut purging = request.desk.store.purge(&record, &purge, &caller.committer()).or_fault()?;
    if let Some((signature, object)) = signature.zip(home) {
        let batch = request.desk.store.batch().add(Home::On(object), signature);
        let written = batch.write(&caller.committer(), "Sign a purge").or_fault()?;
        purging.tip = written.tip.unwrap_or(purging.tip);
    }
    let reviews = purge.of.iter().copied().filter(|id| threads.review(*id).is_some());
    let_heads_go(request, reviews, &caller.committer());
    Ok(PurgeReply {
        of: named.iter().map(|id| request.book.prefixes.shorten(*id).to_string()).collect(),
        dropped: u32::try_from(purging.dropped).unwrap_or(u32::MAX),
        notes: hex(purging.tip),
    })
}

/// A whole thread, or of an answer what is about it alone.
fn part_of(request: &Request, thread: Thread<'_>, name: &str) -> BTreeSet<RecordId> {
    let Ok(comment) = request.book.comment_named(name) else { return view::records_of(thread) };
    if comment.id() == thread.id() {
        return view::records_of(thread);
    }
    let words = comment.words();
    let mut ids = BTreeSet::from([comment.id()]);
    ids.extend(words.edits().changes().iter().chain(words.proposals().changes()).map(|edit| edit.id));
    ids.extend(comment.statuses().changes().iter().map(|status| status.id));
    ids
}

/// Writes the positions of what is checked out, and of branches under review, into the notes of their heads, and shares
/// pins that git has published.
///
/// What is on a file that did not change is not written, nor what was resolved or withdrawn: those are found again at no
/// cost, or when asked.
pub fn settle(request: &Request, caller: &Caller) -> Result<SettleReply, Fault> {
    let by = caller.committer();
    let mut heads = Vec::new();
    if let Some(head) = request.head {
        let seen = seen_from(request, &HeadName::Head)?;
        let threads = request.book.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id()));
        heads.push(positions_at(request, &HeadName::Head, head, threads)?);
    }
    let tips = unsettled_tips(request);
    for (tip, group) in &tips {
        heads.push(positions_at(request, &HeadName::Rev(tip.to_string()), *tip, group.threads())?);
    }
    heads.retain(|head| !head.entries.is_empty());
    let count = heads.iter().map(|head| head.entries.len()).sum::<usize>();
    let mut notes = request.book.edition.notes;
    if !heads.is_empty() {
        notes = request.desk.store.write_positions(&heads, &by).or_fault()?;
    }
    keep_settled(request, &tips);
    let pins = request.desk.store.promote_pins(&by).or_fault()?;
    if pins > 0 {
        notes = request.desk.store.tip().or_fault()?;
    }
    request.desk.sweep_now_and_then(caller.at);
    request.desk.maps.flush();
    let (positions, pins) =
        (u32::try_from(count).unwrap_or(u32::MAX), u32::try_from(pins).unwrap_or(u32::MAX));
    Ok(SettleReply { notes: notes.map(hex), positions, pins })
}

/// Where branches under review are that nobody has checked out here, as far as that is not written yet.
fn unsettled_tips(request: &Request) -> Vec<(CommitId, ReviewGroup<'_>)> {
    let settled = lock(&request.desk.settled);
    let tips = review_tips(request);
    tips.filter(|(tip, _)| Some(*tip) != request.head && !settled.contains(tip)).take(MAX_TIPS).collect()
}

/// Remembers that these are written, for as long as branches under review are there.
fn keep_settled(request: &Request, tips: &[(CommitId, ReviewGroup<'_>)]) {
    let there: BTreeSet<CommitId> = review_tips(request).map(|(tip, _)| tip).collect();
    let mut settled = lock(&request.desk.settled);
    settled.extend(tips.iter().map(|(tip, _)| *tip));
    settled.retain(|tip| there.contains(tip));
}

/// Where branches under review are.
fn review_tips(request: &Request) -> impl Iterator<Item = (CommitId, ReviewGroup<'_>)> {
    let open = request.book.threads.groups().filter(|group| is_open(*group));
    open.filter_map(|group| Some((known_of(request, group)?.branch.as_ref()?.head, group)))
}

/// Where the open ones of these threads are at a commit, but for those whose file did not change.
fn positions_at<'a>(
    request: &Request,
    name: &HeadName,
    head: CommitId,
    threads: impl Iterator<Item = Thread<'a>>,
) -> Result<HeadPositions, Fault> {
    let open = |thread: &Thread<'_>| {
        thread.state() == ThreadState::Open && !request.book.drafts.contains(&thread.id())
    };
    let threads: Vec<Thread<'a>> = threads.filter(open).collect();
    let looked = positions_of(request, name, Freshness::Wait, threads.iter().copied())?;
    let handle = request.seat.repository().handle();
    let info = history::commit(&handle, head).or_fault()?;
    // What a draft suggests is nobody else's business yet, and neither is that it was applied.
    let is_private = |thread: &Thread<'_>| {
        suggestions_of(*thread).any(|comment| request.book.drafts.contains(&comment.id()))
    };
    let moved = threads.iter().filter_map(|thread| {
        let (entry, anchor) = (looked.entries.get(&thread.id())?, thread.anchor()?);
        let is_told = entry.reason != UNREADABLE && !(entry.reason == APPLIED && is_private(thread));
        (is_told && !is_unchanged(&handle, info.tree, anchor)).then(|| entry.to_raw())
    });
    Ok(HeadPositions { head, time: info.time, entries: moved.collect() })
}

/// Whether the file that a comment is on is the same, at the same path.
fn is_unchanged(handle: &gix::Repository, files: TreeId, anchor: &Anchor) -> bool {
    let there = tree::entry_at(handle, files, &anchor.path).ok().flatten();
    anchor.side == Side::New && there.is_some_and(|entry| Some(BlobId::from(entry.id.raw())) == anchor.blob)
}
