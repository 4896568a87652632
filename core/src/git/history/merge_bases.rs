//! Finds merge bases: the best common ancestors of commits.
//!
//! gix has this too, but picks a worse one if commits are of the same second, as those of a rebase are. Here times only
//! decide the order of the walk: they make it short, and it is right if clocks are wrong by less than [`CLOCK_SLOP`].

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

use super::walk::CLOCK_SLOP;
use crate::git::error::ReadError;
use crate::git::{CommitId, ObjectId};

/// An ancestor of the first commit.
const ONE: u8 = 1;
/// An ancestor of one of the others.
const OTHER: u8 = 2;
/// An ancestor of a common ancestor, and so not the best.
const BEATEN: u8 = 4;

/// Returns the best common ancestors of `one` and any of `others`: newest first, then by id.
///
/// Fails if one of them is not there. Costs a walk over what only one side has, and a bit more if several are best.
pub(super) fn best_shared(
    handle: &gix::Repository,
    one: CommitId,
    others: &[CommitId],
) -> Result<Vec<CommitId>, ReadError> {
    let walk_failed = |source| ReadError::Walk { id: one.into(), source };
    let shallow = handle.shallow_commits().map_err(walk_failed)?;
    let boundary = shallow.iter().flat_map(|list| list.iter().map(|id| CommitId::from(*id))).collect();
    let cache = handle.commit_graph_if_enabled().unwrap_or(None);
    let graph = handle.revision_graph::<()>(cache.as_ref());
    let mut walk = MergeBaseWalk { graph, boundary, seen: HashMap::new(), queue: BinaryHeap::new(), live: 0 };
    walk.paint_tip(one, ONE)?;
    for other in others {
        walk.paint_tip(*other, OTHER)?;
    }
    walk.run(one)
}

struct MergeBaseWalk<'a, 'cache> {
    graph: gix::revwalk::Graph<'a, 'cache, ()>,
    /// Where a shallow history ends.
    boundary: HashSet<CommitId>,
    seen: HashMap<CommitId, SeenCommit>,
    queue: BinaryHeap<(i64, CommitId)>,
    /// How many of the queue are not beaten.
    live: usize,
}

struct SeenCommit {
    paint: u8,
    time: i64,
    parents: Vec<CommitId>,
    queued: bool,
}

impl MergeBaseWalk<'_, '_> {
    fn run(mut self, one: CommitId) -> Result<Vec<CommitId>, ReadError> {
        let mut shared: BTreeSet<(i64, CommitId)> = BTreeSet::new();
        while let Some((time, id)) = self.queue.pop() {
            let Some(seen) = self.seen.get_mut(&id) else { continue };
            seen.queued = false;
            let mut paint = seen.paint;
            if paint & BEATEN == 0 {
                self.live -= 1;
                if paint == ONE | OTHER {
                    shared.insert((time, id));
                    paint |= BEATEN;
                }
            }
            if id == one && paint & OTHER != 0 {
                // All that it leads to is shared as well, and worse.
                return Ok(vec![one]);
            }
            for parent in self.seen.get(&id).map(|seen| seen.parents.clone()).unwrap_or_default() {
                self.paint(parent, paint)?;
            }
            // What is left was found from a shared commit, and only matters where it may beat another one.
            if self.live == 0 {
                shared.retain(|(_, id)| self.seen.get(id).is_some_and(|seen| seen.paint & BEATEN == 0));
                let oldest = shared.first().map_or(i64::MAX, |(time, _)| *time);
                let newest = self.queue.peek().map_or(i64::MIN, |(time, _)| *time);
                if shared.len() <= 1 || newest < oldest.saturating_sub(CLOCK_SLOP) {
                    break;
                }
            }
        }
        Ok(shared.into_iter().rev().map(|(_, id)| id).collect())
    }

    fn paint_tip(&mut self, id: CommitId, paint: u8) -> Result<(), ReadError> {
        self.paint(id, paint)?;
        if self.seen.contains_key(&id) { Ok(()) } else { Err(ReadError::Missing { id: id.into() }) }
    }

    fn paint(&mut self, id: CommitId, paint: u8) -> Result<(), ReadError> {
        if !self.seen.contains_key(&id) && !self.read(id)? {
            return Ok(());
        }
        let Some(seen) = self.seen.get_mut(&id) else { return Ok(()) };
        if seen.paint & paint == paint {
            return Ok(());
        }
        let was_live = seen.queued && seen.paint & BEATEN == 0;
        seen.paint |= paint;
        let is_live = seen.paint & BEATEN == 0;
        if !seen.queued {
            seen.queued = true;
            self.queue.push((seen.time, id));
        }
        self.live = self.live + usize::from(is_live) - usize::from(was_live);
        Ok(())
    }

    /// Returns `false` if the commit is not here, as at the end of a shallow history.
    fn read(&mut self, id: CommitId) -> Result<bool, ReadError> {
        let failed = |source| ReadError::Walk { id: ObjectId::from(id), source };
        let Some(commit) = self.graph.try_lookup(&id.raw()).map_err(failed)? else { return Ok(false) };
        let time = commit.committer_timestamp().map_err(failed)?;
        let mut parents = Vec::new();
        if !self.boundary.contains(&id) {
            for parent in commit.iter_parents() {
                parents.push(CommitId::from(parent.map_err(failed)?));
            }
        }
        self.seen.insert(id, SeenCommit { paint: 0, time, parents, queued: false });
        Ok(true)
    }
}
