//! Where comments are at one commit: computed once, and again only for those whose anchor is another.
//!
//! Positions are `postil-core`'s; what those that came with the notes are good for is in `claims`. What is not
//! committed is one step more, and in `in_files`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, TryLockError};

use postil_core::anchoring::{
    Base, ENGINE_VERSION, Head, LocateError, LocateOptions, Position, Stop, locate, locate_change,
};
use postil_core::git::{CommitId, history};
use postil_core::record::{Anchor, AnchorSide, Basis, Candidate, PositionEntry, PositionState, RecordId};
use postil_core::review::{Branches, Comment, Membership, Thread, ThreadState};
use postil_protocol::{Fault, FaultCode};

use crate::convert::fault::OrFault as _;
use crate::notes::index::NotesIndex;
use crate::positions::applied::suggestions_of;
use crate::positions::applied::{KnownWritten, put_where_applied};
use crate::positions::claims::Claims;
use crate::repository::state::{RepositoryState, lock};
use crate::repository::work_tree::WorkTree;

/// The reason of a comment whose head could not be read; it is in no record.
pub(crate) const UNREADABLE: &str = "unreadable";

/// Where comments are, by thread.
pub(crate) type PositionsByThread = BTreeMap<RecordId, Arc<PositionEntry>>;

/// Where comments are at one commit, as far as that was computed.
#[derive(Debug)]
pub(crate) struct PositionsAt {
    head: CommitId,
    pub(super) entries: Mutex<HashMap<RecordId, KnownPosition>>,
    computing: Mutex<()>,
}

/// A position, and the anchor that it is of.
#[derive(Clone, Debug)]
pub(super) struct KnownPosition {
    pub key: AnchorKey,
    pub entry: Arc<PositionEntry>,
    /// Whether it was looked for in another base before.
    pub is_rebased: bool,
}

/// Identifies the anchor of a thread, and whatever else its position depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnchorKey {
    pub moved: Option<RecordId>,
    pub base: Option<CommitId>,
    /// How many suggestions there are in its thread, and the last of them.
    pub suggested: (usize, Option<RecordId>),
}

/// A thread whose position is asked for.
#[derive(Clone, Copy)]
pub(crate) struct ThreadToLocate<'a> {
    /// The thread.
    pub id: RecordId,
    /// The same, with all that was said in it.
    pub thread: Thread<'a>,
    /// What it is on.
    pub anchor: &'a Anchor,
    key: AnchorKey,
}

impl<'a> ThreadToLocate<'a> {
    /// A thread with an anchor, to be looked for in the base that `bases` has for its review.
    pub fn of(thread: Thread<'a>, bases: &Bases) -> Option<Self> {
        let comment = thread.root_comment()?;
        let anchor = comment.anchor()?;
        let base = match (&anchor.side, thread.review()) {
            (AnchorSide::Old(_), Membership::Review(review)) => bases.of(review.base()),
            _ => None,
        };
        let key = AnchorKey { moved: moved(comment), base, suggested: suggested(thread) };
        Some(Self { id: thread.id(), thread, anchor, key })
    }

    /// A thread at an anchor that it had before it was moved by hand.
    pub fn before(thread: Thread<'a>, anchor: &'a Anchor) -> Self {
        let key = AnchorKey { moved: None, base: None, suggested: suggested(thread) };
        Self { id: thread.id(), thread, anchor, key }
    }

    /// Whether somebody put it elsewhere by hand.
    pub fn is_moved(&self) -> bool {
        self.key.moved.is_some()
    }

    /// The base that its deleted lines are looked for in.
    pub fn base(&self) -> Option<CommitId> {
        self.key.base
    }
}

/// The move that puts a comment where it is, if there was one.
pub(super) fn moved(comment: &Comment) -> Option<RecordId> {
    comment.moves().in_force().map(|change| change.id)
}

fn suggested(thread: Thread<'_>) -> (usize, Option<RecordId>) {
    let counting = suggestions_of(thread).filter(|said| said.state() != ThreadState::Withdrawn);
    counting.fold((0, None), |(count, _), said| (count + 1, Some(said.id())))
}

/// What a head is compared with, for each branch that a review names as its base.
#[derive(Debug, Default)]
pub(crate) struct Bases(BTreeMap<Vec<u8>, CommitId>);

impl Bases {
    /// Finds where `head` and the bases of the reviews of these threads went apart; only if deleted lines are commented on.
    pub fn find(work_tree: &WorkTree, among: &[Thread<'_>], branches: &Branches, head: CommitId) -> Self {
        let deleted = |thread: &Thread<'_>| {
            thread.anchor().is_some_and(|anchor| matches!(anchor.side, AnchorSide::Old(_)))
        };
        let mut found = BTreeMap::new();
        let handle = work_tree.repository().handle();
        for thread in among.iter().filter(|thread| deleted(thread)) {
            let Membership::Review(review) = thread.review() else { continue };
            if found.contains_key(review.base()) {
                continue;
            }
            let Ok(name) = postil_core::git::RefName::from_bytes(review.base()) else { continue };
            // A base that cannot be found leaves the one that each comment was made against.
            let base = history::merge_base_of_any(&handle, head, &branches.base_tips(&handle, &name));
            // A head that is in the base deletes nothing any more: what the comment was made against says what it did.
            if let Ok(Some(base)) = base
                && base != head
            {
                found.insert(review.base().to_vec(), base);
            }
        }
        Self(found)
    }

    fn of(&self, branch: &[u8]) -> Option<CommitId> {
        self.0.get(branch).copied()
    }
}

impl PositionsAt {
    /// Nothing is computed yet.
    pub fn new(head: CommitId) -> Self {
        Self { head, entries: Mutex::default(), computing: Mutex::default() }
    }

    /// The commit.
    pub fn head(&self) -> CommitId {
        self.head
    }

    /// Whether nothing was computed.
    pub fn is_empty(&self) -> bool {
        lock(&self.entries).is_empty()
    }

    /// What is known of these; those that are missing are not in it.
    pub fn known(&self, asked: &[ThreadToLocate<'_>]) -> PositionsByThread {
        let entries = lock(&self.entries);
        let known = |asked: &ThreadToLocate<'_>| {
            let known = entries.get(&asked.id).filter(|known| known.key == asked.key)?;
            Some((asked.id, known.entry.clone()))
        };
        asked.iter().filter_map(known).collect()
    }

    /// What was known of a thread, whatever anchor and base it had.
    pub fn last_known(&self, thread: RecordId) -> Option<Arc<PositionEntry>> {
        lock(&self.entries).get(&thread).map(|known| known.entry.clone())
    }

    /// Whether a thread was located with several bases here, so that it is unknown which position was
    /// reported to which client.
    pub fn is_rebased(&self, thread: RecordId) -> bool {
        lock(&self.entries).get(&thread).is_some_and(|known| known.is_rebased)
    }

    /// What was known of these threads, whatever anchor and base they had.
    pub fn remembered(&self, asked: &[ThreadToLocate<'_>]) -> PositionsByThread {
        let entries = lock(&self.entries);
        let known = |asked: &ThreadToLocate<'_>| Some((asked.id, entries.get(&asked.id)?.entry.clone()));
        asked.iter().filter_map(known).collect()
    }

    /// Where these are, computed if need be.
    pub fn place(
        &self,
        repository: &RepositoryState,
        notes: &NotesIndex,
        asked: &[ThreadToLocate<'_>],
        stop: &Stop,
    ) -> Result<PositionsByThread, Fault> {
        let known = self.known(asked);
        if known.len() == asked.len() {
            return Ok(known);
        }
        // One computes, and the others take what it found.
        let _computing = lock(&self.computing);
        self.compute(repository, notes, asked, stop)
    }

    /// Like [`PositionsAt::place`], but does not wait: while another request computes positions, missing ones
    /// are reported at the original place.
    pub fn place_at_once(
        &self,
        repository: &RepositoryState,
        notes: &NotesIndex,
        asked: &[ThreadToLocate<'_>],
        stop: &Stop,
    ) -> Result<PositionsByThread, Fault> {
        let computing = match self.computing.try_lock() {
            Ok(computing) => Some(computing),
            Err(TryLockError::Poisoned(computing)) => Some(computing.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if computing.is_some() {
            return self.compute(repository, notes, asked, stop);
        }
        let mut known = self.known(asked);
        for asked in asked {
            known.entry(asked.id).or_insert_with(|| where_it_was_put(asked.id, asked.anchor).into());
        }
        Ok(known)
    }

    /// Computes what is missing; the caller holds the lock.
    fn compute(
        &self,
        repository: &RepositoryState,
        notes: &NotesIndex,
        asked: &[ThreadToLocate<'_>],
        stop: &Stop,
    ) -> Result<PositionsByThread, Fault> {
        let mut known = self.known(asked);
        let missing: Vec<ThreadToLocate<'_>> =
            asked.iter().filter(|asked| !known.contains_key(&asked.id)).copied().collect();
        if missing.is_empty() {
            return Ok(known);
        }
        let handle = repository.store.repository().handle();
        let tree = history::commit(&handle, self.head).or_fault()?.tree;
        let head = Head { tree, commit: Some(self.head) };
        let claims = Claims::about(&handle, notes, self.head, tree);
        let maps = Some(repository.maps.clone());
        let means =
            LocateOptions { threads: repository.options.threads, maps, stop: stop.clone(), partial: None };
        let found = locate_all(&handle, &repository.written, &missing, head, &means)?;
        let mut grounds = Grounds::new(&handle);
        let mut entries = lock(&self.entries);
        for (asked, position) in missing.iter().zip(found) {
            let computed = entry(asked, &position, grounds.basis(asked.anchor));
            let entry = Arc::new(claims.or_computed(asked, computed));
            known.insert(asked.id, entry.clone());
            let is_rebased = entries
                .get(&asked.id)
                .is_some_and(|known| known.is_rebased || known.key.base != asked.key.base);
            entries.insert(asked.id, KnownPosition { key: asked.key, entry, is_rebased });
        }
        Ok(known)
    }
}

/// Locates each thread relative to its own base, or where its suggestion was applied. Returns all of them, or
/// none if the request was cancelled.
pub(crate) fn locate_all(
    handle: &gix::Repository,
    known: &KnownWritten,
    asked: &[ThreadToLocate<'_>],
    head: Head,
    means: &LocateOptions,
) -> Result<Vec<Result<Position, LocateError>>, Fault> {
    let mut by_base: BTreeMap<Option<CommitId>, Vec<usize>> = BTreeMap::new();
    for (at, asked) in asked.iter().enumerate() {
        by_base.entry(asked.base()).or_default().push(at);
    }
    let mut found: Vec<(usize, Result<Position, LocateError>)> = Vec::with_capacity(asked.len());
    for (base, places) in by_base {
        let anchors: Vec<&Anchor> = places.iter().map(|at| asked[*at].anchor).collect();
        let tree = base.and_then(|base| Some((base, history::commit(handle, base).ok()?.tree)));
        let positions = match tree {
            Some((commit, tree)) => {
                let base = Base { tree, commit: Some(commit) };
                locate_change(handle, &anchors, base, head, means.clone())
            }
            None => locate(handle, &anchors, head, means.clone()),
        };
        found.extend(places.into_iter().zip(positions));
    }
    if means.stop.is_asked() {
        return Err(Fault::new(FaultCode::Cancelled, "the request was cancelled"));
    }
    found.sort_by_key(|(at, _)| *at);
    let mut found: Vec<_> = found.into_iter().map(|(_, position)| position).collect();
    put_where_applied(handle, known, asked, head, means, &mut found);
    Ok(found)
}

/// A position as it is kept; a head that cannot be read leaves the comment without a place, and says so.
pub(crate) fn entry(
    asked: &ThreadToLocate<'_>,
    position: &Result<Position, LocateError>,
    basis: Basis,
) -> PositionEntry {
    let bare = PositionEntry { engine: ENGINE_VERSION, basis, ..PositionEntry::orphaned(asked.id) };
    let position = match position {
        Ok(position) => position,
        Err(error) => {
            tracing::debug!(thread = %asked.id, %error, "could not be located");
            return PositionEntry { reason: UNREADABLE.into(), basis: Basis::Text, ..bare };
        }
    };
    let candidates = position.candidates().iter().filter_map(|candidate| {
        let (path, range) = (candidate.site.path.clone(), candidate.site.range?);
        Some(Candidate { path, range, confidence: candidate.confidence.per_mille() })
    });
    PositionEntry {
        state: match position {
            Position::Anchored { .. } => PositionState::Anchored,
            Position::Shifted { .. } => PositionState::Shifted,
            Position::Outdated { .. } => PositionState::Outdated,
            Position::Orphaned { .. } => PositionState::Orphaned,
        },
        path: position.site().map(|site| site.path.clone()),
        range: position.site().and_then(|site| site.range),
        confidence: position.confidence().per_mille(),
        reason: position.reason().into(),
        candidates: candidates.collect(),
        source: position
            .site()
            .and_then(|site| site.passage)
            .map(|passage| (passage.source.start as u64, passage.source.end as u64)),
        ..bare
    }
}

/// The position of a comment in the very text that it was put on.
pub(crate) fn where_it_was_put(id: RecordId, anchor: &Anchor) -> PositionEntry {
    let path = match &anchor.side {
        AnchorSide::Old(old) => old.path.as_ref().unwrap_or(&anchor.path),
        AnchorSide::New => &anchor.path,
    };
    PositionEntry {
        engine: ENGINE_VERSION,
        basis: Basis::History,
        state: PositionState::Anchored,
        path: Some(path.clone()),
        range: anchor.range,
        confidence: 1000,
        reason: "translated".into(),
        ..PositionEntry::orphaned(id)
    }
}

/// Which objects are here, each looked for once: thousands of comments are on the same few.
pub(crate) struct Grounds<'a> {
    handle: &'a gix::Repository,
    seen: HashMap<gix::ObjectId, bool>,
}

impl<'a> Grounds<'a> {
    /// Nothing was looked for yet.
    pub fn new(handle: &'a gix::Repository) -> Self {
        Self { handle, seen: HashMap::new() }
    }

    /// What the engine had to go by.
    pub fn basis(&mut self, anchor: &Anchor) -> Basis {
        let blob = match &anchor.side {
            AnchorSide::New => anchor.blob,
            AnchorSide::Old(old) => Some(old.blob),
        };
        if !blob.is_some_and(|blob| self.has(blob.raw())) {
            Basis::Text
        } else if anchor.commit.is_some_and(|commit| self.has(commit.raw())) {
            Basis::History
        } else {
            Basis::Blob
        }
    }

    fn has(&mut self, id: gix::ObjectId) -> bool {
        *self.seen.entry(id).or_insert_with(|| self.handle.has_object(id))
    }
}
