//! Writes into the notes where comments are.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::notes::names::is_open;
use crate::positions::applied::APPLIED;
use crate::positions::applied::suggestions_of;
use crate::positions::in_head::positions_of;
use crate::positions::positions_at::UNREADABLE;
use crate::repository::state::lock;
use crate::request::{Request, seen_from};
use crate::reviews::follow_up::known_of;
use crate::view::hex;
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId, history, tree};
use postil_core::notes::HeadPositions;
use postil_core::record::{Anchor, AnchorSide, EntryOrigin};
use postil_core::review::{ReviewGroup, Thread, ThreadState};
use postil_protocol::{Fault, Freshness, HeadName, Mark, WritePositionsReply};
use std::collections::{BTreeSet, HashMap};

/// So many branches that are not checked out are settled at once; the others wait for the next time.
///
/// Fewer than the heads whose positions are kept in memory, so that what is checked out stays there.
pub(crate) const MAX_TIPS: usize = 6;

/// Writes the positions of what is checked out, and of branches under review, into the notes of their heads, and shares
/// pins that git has published.
///
/// What is on a file that did not change is not written, nor what was resolved or withdrawn: those are found again at no
/// cost, or when asked.
pub fn write_positions(request: &Request, actor: &Actor) -> Result<WritePositionsReply, Fault> {
    let by = actor.committer();
    if request.repository.store.open_merge().is_some() {
        // Whoever merges the notes could not finish that; positions can be computed again.
        let notes = request.notes.version.notes.map(hex);
        return Ok(WritePositionsReply {
            notes,
            positions: 0,
            pins: 0,
            mark: Mark::default(),
            warnings: Vec::new(),
        });
    }
    let mut heads = Vec::new();
    if let Some(head) = request.head {
        let seen = seen_from(request, &HeadName::Head)?;
        let threads = request.notes.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id()));
        heads.push(positions_at(request, &HeadName::Head, head, threads)?);
    }
    let tips = unsettled_tips(request);
    for (tip, group) in &tips {
        heads.push(positions_at(request, &HeadName::Rev(tip.to_string()), *tip, group.threads())?);
    }
    heads.retain(|head| !head.entries.is_empty());
    let count = heads.iter().map(|head| head.entries.len()).sum::<usize>();
    let mut notes = request.notes.version.notes;
    if !heads.is_empty() {
        notes = request.repository.store.write_positions(&heads, &by).or_fault()?;
    }
    keep_settled(request, &tips);
    let pins = request.repository.store.promote_pins(&by).or_fault()?;
    if pins > 0 {
        notes = request.repository.store.tip().or_fault()?;
    }
    request.repository.sweep_now_and_then(actor.at);
    request.repository.maps.flush();
    let (positions, pins) =
        (u32::try_from(count).unwrap_or(u32::MAX), u32::try_from(pins).unwrap_or(u32::MAX));
    Ok(WritePositionsReply {
        notes: notes.map(hex),
        positions,
        pins,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// The tips of branches under review that are not checked out here and whose positions are not written yet.
pub(crate) fn unsettled_tips(request: &Request) -> Vec<(CommitId, ReviewGroup<'_>)> {
    let settled = lock(&request.repository.settled);
    let tips = review_tips(request);
    tips.filter(|(tip, _)| Some(*tip) != request.head && !settled.contains(tip)).take(MAX_TIPS).collect()
}

/// Remembers that these are written, for as long as branches under review are there.
pub(crate) fn keep_settled(request: &Request, tips: &[(CommitId, ReviewGroup<'_>)]) {
    let there: BTreeSet<CommitId> = review_tips(request).map(|(tip, _)| tip).collect();
    let mut settled = lock(&request.repository.settled);
    settled.extend(tips.iter().map(|(tip, _)| *tip));
    settled.retain(|tip| there.contains(tip));
}

/// Where branches under review are.
pub(crate) fn review_tips(request: &Request) -> impl Iterator<Item = (CommitId, ReviewGroup<'_>)> {
    let open = request.notes.threads.groups().filter(|group| is_open(*group));
    open.filter_map(|group| Some((known_of(request, group)?.branch.as_ref()?.head, group)))
}

/// Where the open ones of these threads are at a commit, but for those whose file did not change.
pub(crate) fn positions_at<'a>(
    request: &Request,
    name: &HeadName,
    head: CommitId,
    threads: impl Iterator<Item = Thread<'a>>,
) -> Result<HeadPositions, Fault> {
    let open = |thread: &Thread<'_>| {
        thread.state() == ThreadState::Open && !request.notes.drafts.contains(&thread.id())
    };
    let threads: Vec<Thread<'a>> = threads.filter(open).collect();
    let files = HeadFiles::of(request, name)?;
    let looked = positions_of(request, &files, Freshness::Wait, threads.iter().copied())?;
    let handle = request.work_tree.repository().handle();
    let info = history::commit(&handle, head).or_fault()?;
    // A draft's suggestion is private, and so is the fact that it was applied.
    let is_private = |thread: &Thread<'_>| {
        suggestions_of(*thread).any(|comment| request.notes.drafts.contains(&comment.id()))
    };
    let mut blobs = HeadBlobs::new(&handle, info.tree);
    let moved = threads.iter().filter_map(|thread| {
        let (entry, anchor) = (looked.entries.get(&thread.id())?, thread.anchor()?);
        let is_told = entry.reason != UNREADABLE && !(entry.reason == APPLIED && is_private(thread));
        // What somebody else claims is theirs to write.
        let is_ours = entry.origin == EntryOrigin::Here;
        (is_ours && is_told && !blobs.have_unchanged(anchor)).then(|| entry.to_raw())
    });
    Ok(HeadPositions { head, time: info.time, entries: moved.collect() })
}

/// The blobs of a head at commented paths, each looked up once: thousands of comments are on the same few files.
struct HeadBlobs<'a> {
    handle: &'a gix::Repository,
    files: TreeId,
    found: HashMap<&'a RepoPath, Option<BlobId>>,
}

impl<'a> HeadBlobs<'a> {
    fn new(handle: &'a gix::Repository, files: TreeId) -> Self {
        Self { handle, files, found: HashMap::new() }
    }

    /// Whether the file that a comment is on is the same, at the same path.
    fn have_unchanged(&mut self, anchor: &'a Anchor) -> bool {
        if anchor.side != AnchorSide::New {
            return false;
        }
        let blob = self.found.entry(&anchor.path).or_insert_with(|| {
            let entry = tree::entry_at(self.handle, self.files, &anchor.path).ok().flatten()?;
            Some(BlobId::from(entry.id.raw()))
        });
        blob.is_some() && *blob == anchor.blob
    }
}
