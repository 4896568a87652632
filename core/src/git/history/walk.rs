//! Walks over history: which commits are ancestors of which.
//!
//! History may end early: in a shallow clone, or at a missing object. Here that is an end like any other, and is
//! reported.

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

use gix::objs::FindExt as _;

use super::merge_bases::best_shared;
use crate::git::error::ReadError;
use crate::git::{CommitId, ObjectId, TreeId};

/// The parts of a commit that walks need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its content.
    pub tree: TreeId,
    /// What it was made from.
    pub parents: Vec<CommitId>,
    /// When it was committed, in seconds of the Unix era.
    pub time: i64,
}

/// The commits of one history that are not in another.
#[derive(Debug, Default)]
pub struct CommitsBetween {
    /// Newest first, by the commits' own times.
    pub commits: Vec<CommitId>,
    /// Commits that belong to one of the two histories and are not in this repository.
    pub missing: Vec<CommitId>,
}

/// Reads a commit.
pub fn commit(handle: &gix::Repository, id: CommitId) -> Result<CommitInfo, ReadError> {
    let mut bytes = Vec::new();
    let object = ObjectId::from(id);
    let damaged = |source| ReadError::Damaged { id: object, source };
    let mut found = match handle.objects.find_commit_iter(&id.raw(), &mut bytes) {
        Ok(found) => found,
        Err(err) if err.is_not_found() => return Err(ReadError::Missing { id: object }),
        Err(source) => return Err(damaged(source)),
    };
    let tree = found.tree_id().map_err(damaged)?.into();
    let parents = found.parent_ids().map(CommitId::from).collect();
    let time = found.committer().and_then(|committer| committer.time()).map_err(damaged)?.seconds;
    Ok(CommitInfo { tree, parents, time })
}

/// Returns the ancestors of `tip` that are not ancestors of `known`, like `git rev-list known..tip`; all of them if
/// `known` is `None`.
///
/// If commits have wrong times, some ancestors of `known` may be among them; none is ever left out.
pub fn between(
    handle: &gix::Repository,
    known: Option<CommitId>,
    tip: CommitId,
) -> Result<CommitsBetween, ReadError> {
    paint(Painting::new(handle)?, known, tip)
}

/// As [`between`], also beyond the end of a shallow history, as far as commits are here.
///
/// A `git fetch --depth` ends histories that were whole, and what came before is still there for a while.
pub fn between_all(
    handle: &gix::Repository,
    known: Option<CommitId>,
    tip: CommitId,
) -> Result<CommitsBetween, ReadError> {
    paint(Painting { boundary: HashSet::new(), ..Painting::new(handle)? }, known, tip)
}

/// Whether a shallow fetch has cut off the history of `tip`.
///
/// Costs one walk over it in a shallow repository, and nothing in any other.
pub fn is_cut_off(handle: &gix::Repository, tip: CommitId) -> Result<bool, ReadError> {
    let walk = Painting::new(handle)?;
    if walk.boundary.is_empty() {
        return Ok(false);
    }
    let boundary = walk.boundary.clone();
    Ok(paint(walk, None, tip)?.commits.iter().any(|commit| boundary.contains(commit)))
}

fn paint(
    mut walk: Painting<'_>,
    known: Option<CommitId>,
    tip: CommitId,
) -> Result<CommitsBetween, ReadError> {
    walk.reach(tip, CommitSide::Wanted)?;
    if let Some(known) = known {
        walk.reach(known, CommitSide::Known)?;
    }
    walk.run()
}

/// Whether `ancestor` is an ancestor of `descendant`; a commit is its own ancestor.
pub fn is_ancestor(
    handle: &gix::Repository,
    ancestor: CommitId,
    descendant: CommitId,
) -> Result<bool, ReadError> {
    Ok(ancestor == descendant || merge_base(handle, ancestor, descendant)? == Some(ancestor))
}

/// Returns the merge base of both, if there is one: of several the newest, then the one with the highest id.
///
/// Fails if one of the two is not there.
pub fn merge_base(
    handle: &gix::Repository,
    one: CommitId,
    two: CommitId,
) -> Result<Option<CommitId>, ReadError> {
    merge_base_of_any(handle, one, &[two])
}

/// Returns the merge base of `one` and a merge of `others`.
///
/// Fails if one of them is not there.
pub fn merge_base_of_any(
    handle: &gix::Repository,
    one: CommitId,
    others: &[CommitId],
) -> Result<Option<CommitId>, ReadError> {
    if others.is_empty() {
        return Ok(None);
    }
    Ok(best_shared(handle, one, others)?.first().copied())
}

/// How much older than its ancestor a commit may be dated before [`reached`] can miss it, in seconds.
pub const CLOCK_SLOP: i64 = 24 * 60 * 60;

/// How many commits [`reached`] looks at if none of the wanted ones is here, for a hole that they may be behind.
pub const MAX_WITHOUT_END: usize = 1024;

/// Which of some commits a walk through history reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReachedCommits {
    /// Those that are ancestors of the tip.
    pub found: BTreeSet<CommitId>,
    /// Commits on the way that are not in this repository and not beyond the end of a shallow history: behind them,
    /// more may be found.
    pub missing: Vec<CommitId>,
}

/// Finds those of `wanted` that are ancestors of `tip`; a commit is its own ancestor.
///
/// Those that are not in this repository are found only if another wanted one is older, or if none is here and they are
/// among the newest commits. Costs one walk over the commits that are newer than the oldest wanted one, or over
/// `MAX_WITHOUT_END` if nothing says how far to go; if clocks were wrong by more than [`CLOCK_SLOP`], some may be missed.
pub fn reached(
    handle: &gix::Repository,
    tip: CommitId,
    wanted: &BTreeSet<CommitId>,
) -> Result<ReachedCommits, ReadError> {
    let times = wanted.iter().filter_map(|id| commit(handle, *id).ok()).map(|info| info.time);
    let oldest = times.min().map(|oldest| oldest.saturating_sub(CLOCK_SLOP));
    if wanted.is_empty() {
        return Ok(ReachedCommits::default());
    }
    let mut walk = Painting::new(handle)?;
    walk.reach(tip, CommitSide::Wanted)?;
    let mut found = BTreeSet::new();
    let mut is_whole = false;
    let mut walked = 0;
    while let Some((time, id)) = walk.queue.pop() {
        if wanted.contains(&id) {
            found.insert(id);
        }
        walked += 1;
        let is_far = oldest.map_or(walked > MAX_WITHOUT_END, |oldest| time < oldest);
        if is_far || found.len() == wanted.len() {
            is_whole = found.len() == wanted.len();
            break;
        }
        let Some(Some(seen)) = walk.seen.get(&id) else { continue };
        for parent in seen.parents.clone() {
            walk.reach(parent, CommitSide::Wanted)?;
        }
    }
    let missing: Vec<CommitId> = walk.missing();
    found.extend(missing.iter().filter(|id| wanted.contains(id)));
    is_whole |= found.len() == wanted.len();
    Ok(ReachedCommits { found, missing: if is_whole { Vec::new() } else { missing } })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CommitSide {
    Wanted,
    Known,
}

struct PaintedCommit {
    paint: CommitSide,
    time: i64,
    parents: Vec<CommitId>,
    queued: bool,
}

/// Paints history from both ends, newest commits first, as git does.
struct Painting<'a> {
    handle: &'a gix::Repository,
    boundary: HashSet<CommitId>,
    seen: HashMap<CommitId, Option<PaintedCommit>>,
    queue: BinaryHeap<(i64, CommitId)>,
    /// How many of the queue are wanted.
    wanted: usize,
}

impl<'a> Painting<'a> {
    fn new(handle: &'a gix::Repository) -> Result<Self, ReadError> {
        let shallow = handle.shallow_commits();
        let null = ObjectId::from(handle.object_hash().null());
        let shallow = shallow.map_err(|source| ReadError::Walk { id: null, source })?;
        let boundary = shallow.iter().flat_map(|list| list.iter().map(|id| CommitId::from(*id))).collect();
        Ok(Self { handle, boundary, seen: HashMap::new(), queue: BinaryHeap::new(), wanted: 0 })
    }

    fn reach(&mut self, id: CommitId, paint: CommitSide) -> Result<(), ReadError> {
        if let Some(seen) = self.seen.get_mut(&id) {
            let Some(seen) =
                seen.as_mut().filter(|seen| (seen.paint, paint) == (CommitSide::Wanted, CommitSide::Known))
            else {
                return Ok(());
            };
            // It was taken for wanted, and perhaps its parents too: they are looked at once more.
            seen.paint = CommitSide::Known;
            if seen.queued {
                self.wanted -= 1;
            } else {
                seen.queued = true;
                self.queue.push((seen.time, id));
            }
            return Ok(());
        }
        let info = match commit(self.handle, id) {
            Ok(info) => info,
            Err(ReadError::Missing { .. }) => {
                self.seen.insert(id, None);
                return Ok(());
            }
            Err(err) => return Err(err),
        };
        let parents = if self.boundary.contains(&id) { Vec::new() } else { info.parents };
        self.seen.insert(id, Some(PaintedCommit { paint, time: info.time, parents, queued: true }));
        self.wanted += usize::from(paint == CommitSide::Wanted);
        self.queue.push((info.time, id));
        Ok(())
    }

    fn run(mut self) -> Result<CommitsBetween, ReadError> {
        let mut found = Vec::new();
        let mut oldest = i64::MAX;
        while let Some((time, id)) = self.queue.pop() {
            let Some(Some(seen)) = self.seen.get_mut(&id) else { continue };
            seen.queued = false;
            let (paint, parents) = (seen.paint, seen.parents.clone());
            if paint == CommitSide::Wanted {
                self.wanted -= 1;
                oldest = oldest.min(time);
                found.push(id);
            } else if self.wanted == 0 && time < oldest {
                // All that is left is known, and older than anything that it could still take back.
                break;
            }
            for parent in parents {
                self.reach(parent, paint)?;
            }
        }
        let still_wanted = |id: &CommitId| {
            matches!(self.seen.get(id), Some(Some(PaintedCommit { paint: CommitSide::Wanted, .. })))
        };
        found.retain(still_wanted);
        let missing = self.missing();
        Ok(CommitsBetween { commits: found, missing })
    }

    /// The commits that were to be looked at and are not in this repository.
    fn missing(&self) -> Vec<CommitId> {
        let missing = self.seen.iter().filter(|(_, seen)| seen.is_none()).map(|(id, _)| *id);
        let mut missing: Vec<CommitId> = missing.collect();
        missing.sort_unstable();
        missing
    }
}
