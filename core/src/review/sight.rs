//! Which threads a head sees.

use std::collections::{BTreeMap, BTreeSet};

use super::ReviewError;
use super::branches::{Branches, Current};
use super::following::Following;
use super::group::ReviewGroup;
use super::review::ReviewState;
use super::thread::{Membership, Thread};
use super::threads::Threads;
use crate::git::{CommitId, RefName, history};
use crate::record::RecordId;

/// Where somebody looks from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewpoint {
    /// The branch, if it is one.
    pub branch: Option<RefName>,
    /// The commit, if there is one yet.
    pub commit: Option<CommitId>,
}

/// Why a thread is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It belongs to a review of the branch.
    Branch,
    /// What it is on is in the history.
    History,
    /// The work of its review is in the history, or is said to be.
    Merged,
    /// It belongs to no review and was made on what was not committed, and so is nobody else's to show.
    Homeless,
    /// Everything is shown.
    Everything,
}

/// Which threads are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Those that the head sees.
    Seen,
    /// Every one.
    All,
}

/// The threads that are seen from somewhere.
#[derive(Debug, Default)]
pub struct Sight {
    /// Each thread, and why it is seen.
    pub threads: BTreeMap<RecordId, Why>,
    /// Reviews of which it could not be found out whether they are seen, and why not.
    pub unknown: Vec<(RecordId, ReviewError)>,
}

impl Viewpoint {
    /// What is checked out; `commit` is where HEAD is, if it is detached.
    pub fn current(branches: &Branches, commit: Option<CommitId>) -> Self {
        match branches.current() {
            Current::Detached => Self { branch: None, commit },
            Current::Branch(name) => {
                Self { commit: branches.local.get(name).copied().or(commit), branch: Some(name.clone()) }
            }
        }
    }
}

impl Following<'_> {
    /// Says which threads are seen from somewhere, and why, in ascending order of id.
    ///
    /// Whether a thread is open makes no difference here. Costs one walk for all anchors, and for each review with
    /// threads that are not seen otherwise the search for its work.
    pub fn seen_from(&self, threads: &Threads, from: &Viewpoint, show: Show) -> Result<Sight, ReviewError> {
        let mut sight = self.seen_among(threads, threads.iter(), from)?;
        if show == Show::All {
            for thread in threads.iter() {
                sight.threads.entry(thread.id()).or_insert(Why::Everything);
            }
        }
        Ok(sight)
    }

    /// Says which of some threads are seen from somewhere, and why: what is said of one does not depend on the others.
    ///
    /// Costs what they cost, however many others there are.
    pub fn seen_among<'t>(
        &self,
        threads: &'t Threads,
        among: impl Iterator<Item = Thread<'t>>,
        from: &Viewpoint,
    ) -> Result<Sight, ReviewError> {
        let among: Vec<Thread<'t>> = among.collect();
        let mut sight = Sight { threads: self.by_history(&among, from)?, unknown: Vec::new() };
        let mut by_group: BTreeMap<RecordId, (ReviewGroup<'t>, Vec<RecordId>)> = BTreeMap::new();
        for thread in &among {
            let uncommitted = thread.anchor().is_none_or(|anchor| anchor.commit.is_none());
            match thread.review() {
                Membership::None if uncommitted => _ = sight.threads.insert(thread.id(), Why::Homeless),
                Membership::Review(review) => {
                    if let Some(group) = threads.group_of(review.id()) {
                        by_group.entry(group.id()).or_insert((group, Vec::new())).1.push(thread.id());
                    }
                }
                Membership::None | Membership::Unknown(_) => {}
            }
        }
        for (group, of_group) in by_group.into_values() {
            self.see_group(group, &of_group, from, &mut sight);
        }
        Ok(sight)
    }

    /// Adds those of some threads of a review that are seen because of it.
    fn see_group(&self, group: ReviewGroup<'_>, of_group: &[RecordId], from: &Viewpoint, sight: &mut Sight) {
        let of_branch = from.branch.as_ref().is_some_and(|name| {
            group.lead().branch() == name.as_bytes() && self.is_still_in(group, name).unwrap_or(true)
        });
        if of_branch {
            sight.threads.extend(of_group.iter().map(|thread| (*thread, Why::Branch)));
            return;
        }
        let hidden: Vec<RecordId> =
            of_group.iter().copied().filter(|thread| !sight.threads.contains_key(thread)).collect();
        if hidden.is_empty() {
            return;
        }
        match self.of_review(group, from) {
            Ok(Some(why)) => sight.threads.extend(hidden.into_iter().map(|thread| (thread, why))),
            Ok(None) => {}
            // One damaged object must not hide the threads of all other reviews.
            Err(error) => sight.unknown.push((group.id(), error)),
        }
    }

    /// The threads whose anchor's commit is in the history of the head.
    fn by_history(
        &self,
        threads: &[Thread<'_>],
        from: &Viewpoint,
    ) -> Result<BTreeMap<RecordId, Why>, ReviewError> {
        let Some(head) = from.commit else { return Ok(BTreeMap::new()) };
        let commit = |thread: Thread<'_>| thread.anchor().and_then(|anchor| anchor.commit);
        let wanted: BTreeSet<CommitId> = threads.iter().copied().filter_map(commit).collect();
        let reached = history::reached(self.patches.handle(), head, &wanted)?;
        let is_there = |thread: &Thread<'_>| commit(*thread).is_some_and(|commit| reached.contains(&commit));
        Ok(threads.iter().copied().filter(is_there).map(|thread| (thread.id(), Why::History)).collect())
    }

    /// Whether a review with another name than the branch is seen from here.
    fn of_review(&self, group: ReviewGroup<'_>, from: &Viewpoint) -> Result<Option<Why>, ReviewError> {
        let state = group.lead().state();
        let is_base = from.branch.as_ref().is_some_and(|name| group.lead().base() == name.as_bytes());
        if is_base && state == ReviewState::Merged {
            return Ok(Some(Why::Merged));
        }
        let (work, lead) = self.work(group, &[])?;
        if let Some(branch) = &from.branch
            && (lead.is_some_and(|lead| lead.name == *branch) || self.was_in(group, branch)?)
        {
            return Ok(Some(Why::Branch));
        }
        // A review that was closed is said to have gone nowhere.
        match from.commit.filter(|_| state != ReviewState::Closed) {
            Some(commit) => Ok(self.arrived(&work, commit)?.map(|_| Why::Merged)),
            None => Ok(None),
        }
    }
}
