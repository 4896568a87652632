//! The ancestors of a commit, walked only as far as needed.
//!
//! For many questions about one commit: each function of `history` starts a new walk.

use std::collections::{BinaryHeap, HashSet};

use super::walk::{CLOCK_SLOP, commit};
use crate::git::error::ReadError;
use crate::git::{CommitId, ObjectId};

/// The ancestors of one commit.
///
/// If clocks were wrong by more than [`CLOCK_SLOP`], some may be missed.
pub struct Lineage {
    /// Where a shallow history ends.
    boundary: HashSet<CommitId>,
    seen: HashSet<CommitId>,
    /// Those whose parents are not looked at yet, newest first.
    queue: BinaryHeap<(i64, CommitId, Vec<CommitId>)>,
}

impl Lineage {
    /// Begins at `tip`; fails if it is not there.
    pub fn of(handle: &gix::Repository, tip: CommitId) -> Result<Self, ReadError> {
        let shallow = handle.shallow_commits();
        let shallow = shallow.map_err(|source| ReadError::Walk { id: ObjectId::from(tip), source })?;
        let boundary = shallow.iter().flat_map(|list| list.iter().map(|id| CommitId::from(*id))).collect();
        let info = commit(handle, tip)?;
        let mut lineage = Self { boundary, seen: HashSet::new(), queue: BinaryHeap::new() };
        lineage.add(tip, info.time, info.parents);
        Ok(lineage)
    }

    /// Whether `ancestor`, which was made at `time`, is an ancestor of the commit; a commit is its own ancestor.
    pub fn has(
        &mut self,
        handle: &gix::Repository,
        ancestor: CommitId,
        time: i64,
    ) -> Result<bool, ReadError> {
        let oldest = time.saturating_sub(CLOCK_SLOP);
        while !self.seen.contains(&ancestor) && self.queue.peek().is_some_and(|(time, ..)| *time >= oldest) {
            let Some((.., parents)) = self.queue.pop() else { break };
            for parent in parents {
                if self.seen.contains(&parent) {
                    continue;
                }
                match commit(handle, parent) {
                    Ok(info) => self.add(parent, info.time, info.parents),
                    // Beyond the end of a shallow history.
                    Err(ReadError::Missing { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(self.seen.contains(&ancestor))
    }

    fn add(&mut self, id: CommitId, time: i64, parents: Vec<CommitId>) {
        let parents = if self.boundary.contains(&id) { Vec::new() } else { parents };
        self.seen.insert(id);
        self.queue.push((time, id, parents));
    }
}
