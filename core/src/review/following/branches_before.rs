//! Finds where the branches were earlier, from where they are now and from their reflogs.
//!
//! The caller recognises the right state, by a hash of all branches. If reflogs are missing, one branch that moved is
//! still found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::branches::{Branches, Current, HEADS, REMOTES, remotes};
use crate::git::{CommitId, LoggedMove, RefName, last_moves};

/// The most moves of one branch that are undone.
const MAX_MOVES: usize = 64;

/// The most states that are tried: the cost of each grows with the number of branches.
const MAX_TRIES: usize = 512;

/// The most branches at the head that are tried: one of them was checked out.
const MAX_AT_HEAD: usize = 8;

/// A local branch, or a branch of the remote with this index.
#[derive(Clone, Copy, Debug)]
enum BranchPlace {
    Local,
    Tracking(usize),
}

struct MoveBack {
    place: BranchPlace,
    name: RefName,
    moved: LoggedMove,
}

impl Branches {
    /// Returns the branches as they were while `head` was checked out, if `is_it` recognises them.
    pub fn earlier(
        &self,
        handle: &gix::Repository,
        head: Option<CommitId>,
        mut is_it: impl FnMut(&Self) -> bool,
    ) -> Option<Self> {
        let mut tries = 0;
        let mut recognise = |state: &Self| {
            state.checked_out_at(head).into_iter().find(|guess| {
                tries += 1;
                tries <= MAX_TRIES && is_it(guess)
            })
        };
        if let Some(found) = recognise(self) {
            return Some(found.without_kept_of(self));
        }
        let by_branch = self.steps_back(handle);
        let mut by_time: Vec<&MoveBack> = by_branch.iter().collect();
        by_time.sort_by_key(|step| (Reverse(step.moved.at), Reverse(step.moved.written)));
        // Of all but the last moves nobody may know which came first: then one branch goes back after the other.
        for order in [by_time, by_branch.iter().collect()] {
            let mut state = self.clone();
            for step in order {
                if state.take_back(step)
                    && let Some(found) = recognise(&state)
                {
                    return Some(found.without_kept_of(self));
                }
            }
        }
        None
    }

    /// These branches with each of those checked out in turn that may have been.
    fn checked_out_at(&self, head: Option<CommitId>) -> Vec<Self> {
        let mut guesses = Vec::new();
        let with = |current: Current| Self { current, ..self.clone() };
        if let Current::Branch(name) = &self.current {
            let mut guess = self.clone();
            match head {
                Some(head) => guess.local.insert(name.clone(), head),
                None => guess.local.remove(name),
            };
            guesses.push(guess);
        }
        let at_head = self.local.iter().filter(|(_, tip)| Some(**tip) == head).map(|(name, _)| name);
        guesses.extend(at_head.take(MAX_AT_HEAD).map(|name| with(Current::Branch(name.clone()))));
        guesses.push(with(Current::Detached));
        guesses
    }

    /// The last moves of all branches, one branch after the other: what moved last comes first.
    fn steps_back(&self, handle: &gix::Repository) -> Vec<MoveBack> {
        let dir = handle.common_dir();
        let mut steps: Vec<Vec<MoveBack>> = Vec::new();
        for name in self.local.keys() {
            steps.push(steps_of(dir, name, name, BranchPlace::Local));
        }
        for (at, (remote, branches)) in remotes(handle).iter().zip(&self.tracking).enumerate() {
            for name in branches.keys() {
                let Some(short) = name.as_bytes().strip_prefix(HEADS.as_bytes()) else { continue };
                let logged = [REMOTES.as_bytes(), remote.as_bytes(), b"/", short].concat();
                let Ok(logged) = RefName::from_bytes(&logged) else { continue };
                steps.push(steps_of(dir, &logged, name, BranchPlace::Tracking(at)));
            }
        }
        steps.sort_by_key(|of| Reverse(of.first().map(|last| (last.moved.at, last.moved.written))));
        steps.into_iter().flatten().collect()
    }

    /// Undoes one move; no where the branch is not where that led to.
    fn take_back(&mut self, step: &MoveBack) -> bool {
        let branches = match step.place {
            BranchPlace::Local => &mut self.local,
            BranchPlace::Tracking(at) => &mut self.tracking[at],
        };
        if branches.get(&step.name).copied() != step.moved.to {
            return false;
        }
        match step.moved.from {
            Some(from) => branches.insert(step.name.clone(), from),
            None => branches.remove(&step.name),
        };
        true
    }

    /// The same without those kept heads that only later branches had.
    fn without_kept_of(mut self, later: &Self) -> Self {
        let tips = |branches: &Self| -> BTreeSet<CommitId> {
            branches.tracking.iter().chain([&branches.local]).flat_map(BTreeMap::values).copied().collect()
        };
        let (before, after) = (tips(&self), tips(later));
        for heads in self.kept.0.values_mut() {
            heads.retain(|head| before.contains(head) || !after.contains(head));
        }
        self
    }
}

fn steps_of(dir: &Path, logged: &RefName, name: &RefName, place: BranchPlace) -> Vec<MoveBack> {
    let moves = last_moves(dir, logged, MAX_MOVES).into_iter();
    moves.map(|moved| MoveBack { place, name: name.clone(), moved }).collect()
}
