//! Remembers which commits are ancestors of which, for repeated questions about the same few.
//!
//! One long walk serves all heads of a review: the base is walked once, and from each head only the commits that the
//! base does not have.

use std::cell::RefCell;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;

use super::searched_commits::Searched;
use crate::git::history::{self, CommitInfo};
use crate::git::{CommitId, Lineage, ReadError};
use crate::review::ReviewError;

/// The most entries of each kind; if there are more, all are forgotten.
const MAX_REMEMBERED: usize = 256;

/// Commits of the base that are searched for a patch, those nearest to where the work began; later ones are not.
const MAX_SEARCHED: usize = 10_000;

/// Walks, and remembers where it has been.
#[derive(Default)]
pub(in crate::review) struct Lineages {
    known: RefCell<HashMap<CommitId, Lineage>>,
    departed: RefCell<HashMap<(CommitId, CommitId), Rc<ForkedHistory>>>,
    arrived: RefCell<HashMap<(CommitId, CommitId), Rc<Searched>>>,
}

/// Where one history forked from another.
pub(in crate::review) struct ForkedHistory {
    /// The merge base of both.
    pub fork: Option<CommitId>,
    /// The commits that the other does not have: newest first, without merges and empty commits.
    pub own: Vec<CommitId>,
    /// What the other has in exchange can be counted from the fork alone, since all that both have leads there.
    is_plain: bool,
}

impl Lineages {
    /// Whether `ancestor` is an ancestor of `descendant`; a commit is its own ancestor. Both must be here.
    pub fn leads(
        &self,
        handle: &gix::Repository,
        ancestor: CommitId,
        descendant: CommitId,
    ) -> Result<bool, ReviewError> {
        Ok(self.has(handle, descendant, ancestor, history::commit(handle, ancestor)?.time)?)
    }

    /// Where `head` forked from `base`; both must be here.
    pub fn departed(
        &self,
        handle: &gix::Repository,
        base: CommitId,
        head: CommitId,
    ) -> Result<Rc<ForkedHistory>, ReviewError> {
        if let Some(known) = self.departed.borrow().get(&(base, head)) {
            return Ok(Rc::clone(known));
        }
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::from([head]);
        let mut queue = BinaryHeap::from([(history::commit(handle, head)?.time, head)]);
        while let Some((time, id)) = queue.pop() {
            if self.has(handle, base, id, time)? {
                shared.push(id);
                continue;
            }
            let info = history::commit(handle, id)?;
            for parent in &info.parents {
                match history::commit(handle, *parent) {
                    Ok(before) if seen.insert(*parent) => queue.push((before.time, *parent)),
                    // Seen already, or beyond the end of a shallow history.
                    Ok(_) | Err(ReadError::Missing { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if does_something(handle, &info)? {
                own.push(id);
            }
        }
        let fork = match shared[..] {
            [] => None,
            [only] => Some(only),
            _ => history::merge_base(handle, head, base)?,
        };
        let departed = Rc::new(ForkedHistory { fork, own, is_plain: shared.len() == 1 });
        remember(&self.departed, (base, head), Rc::clone(&departed));
        Ok(departed)
    }

    /// The commits of `base` since `head` forked from it.
    pub fn arrived(
        &self,
        handle: &gix::Repository,
        base: CommitId,
        head: CommitId,
    ) -> Result<Rc<Searched>, ReviewError> {
        let departed = self.departed(handle, base, head)?;
        let known = departed.fork.filter(|_| departed.is_plain).unwrap_or(head);
        if let Some(arrived) = self.arrived.borrow().get(&(known, base)) {
            return Ok(Rc::clone(arrived));
        }
        let mut commits = history::between(handle, Some(known), base)?.commits;
        commits.reverse();
        commits.truncate(MAX_SEARCHED);
        let arrived = Rc::new(Searched::new(commits));
        remember(&self.arrived, (known, base), Rc::clone(&arrived));
        Ok(arrived)
    }

    fn has(
        &self,
        handle: &gix::Repository,
        tip: CommitId,
        ancestor: CommitId,
        time: i64,
    ) -> Result<bool, ReadError> {
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_REMEMBERED && !known.contains_key(&tip) {
            known.clear();
        }
        let lineage = match known.entry(tip) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => place.insert(Lineage::of(handle, tip)?),
        };
        lineage.has(handle, ancestor, time)
    }
}

/// Whether a commit is not a merge, and has another tree than its parent.
fn does_something(handle: &gix::Repository, info: &CommitInfo) -> Result<bool, ReviewError> {
    let before = match info.parents.as_slice() {
        [] => None,
        [parent] => match history::commit(handle, *parent) {
            // Beyond the end of a shallow history.
            Err(ReadError::Missing { .. }) => None,
            parent => Some(parent?.tree),
        },
        _ => return Ok(false),
    };
    Ok(before != Some(info.tree))
}

fn remember<K: std::hash::Hash + Eq, V>(memory: &RefCell<HashMap<K, V>>, key: K, value: V) {
    let mut memory = memory.borrow_mut();
    if memory.len() >= MAX_REMEMBERED {
        memory.clear();
    }
    memory.insert(key, value);
}
