//! Which threads are visible at a head.

use std::collections::{BTreeMap, BTreeSet};

use super::ReviewError;
use super::folding::review::ReviewState;
use super::folding::review_group::ReviewGroup;
use super::folding::thread::{Membership, Thread};
use super::folding::threads::Threads;
use super::following::branches::{Branches, Current};
use super::following::follow::Following;
use crate::git::{CommitId, RefName, history};
use crate::record::RecordId;

/// The branch and commit for which threads are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewpoint {
    /// The branch, if it is one.
    pub branch: Option<RefName>,
    /// The commit, if there is one yet.
    pub commit: Option<CommitId>,
}

/// Why a thread is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyVisible {
    /// It belongs to a review of the branch.
    Branch,
    /// The commit that it is on is in the history.
    History,
    /// Its review was merged into the history, or is marked so.
    Merged,
    /// It has no review and is on uncommitted text, and so is visible everywhere.
    Homeless,
    /// All threads are shown.
    Everything,
}

/// Which threads to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowThreads {
    /// Those that are visible at the head.
    Seen,
    /// Every one.
    All,
}

/// The visible threads.
#[derive(Debug, Default)]
pub struct ThreadVisibility {
    /// Each thread, and why it is visible.
    pub threads: BTreeMap<RecordId, WhyVisible>,
    /// Reviews for which this could not be decided, and why not.
    pub unknown: Vec<(RecordId, ReviewError)>,
    /// Commits of the history that are missing here: threads on commits behind them may be visible too.
    pub missing: Vec<CommitId>,
    /// Open reviews that were not searched for: there are more than [`MAX_SEARCHED_REVIEWS`](super::MAX_SEARCHED_REVIEWS).
    pub unsearched: BTreeSet<RecordId>,
}

impl Viewpoint {
    /// The branch that is checked out; `commit` is HEAD, if it is detached.
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
    /// Returns which threads are visible, and why.
    ///
    /// Whether a thread is open makes no difference here. Costs one walk for all anchors, and a search for the work
    /// of each review whose threads are not visible otherwise.
    pub fn visible_from(
        &self,
        threads: &Threads,
        from: &Viewpoint,
        show: ShowThreads,
    ) -> Result<ThreadVisibility, ReviewError> {
        let mut sight = self.visible_among(threads, threads.iter(), from)?;
        if show == ShowThreads::All {
            for thread in threads.iter() {
                sight.threads.entry(thread.id()).or_insert(WhyVisible::Everything);
            }
        }
        Ok(sight)
    }

    /// Returns which of some threads are visible, and why: the result for one does not depend on which others are asked for.
    ///
    /// The cost does not depend on the number of other threads.
    pub fn visible_among<'t>(
        &self,
        threads: &'t Threads,
        among: impl Iterator<Item = Thread<'t>>,
        from: &Viewpoint,
    ) -> Result<ThreadVisibility, ReviewError> {
        let among: Vec<Thread<'t>> = among.collect();
        let (by_history, missing) = self.by_history(&among, from)?;
        let mut sight = ThreadVisibility { threads: by_history, missing, ..ThreadVisibility::default() };
        let mut by_group: BTreeMap<RecordId, (ReviewGroup<'t>, Vec<RecordId>)> = BTreeMap::new();
        for thread in &among {
            let uncommitted = thread.commit().is_none();
            match thread.review() {
                Membership::None if uncommitted => {
                    _ = sight.threads.insert(thread.id(), WhyVisible::Homeless);
                }
                Membership::Review(review) => {
                    if let Some(group) = threads.group_of(review.id()) {
                        by_group.entry(group.id()).or_insert((group, Vec::new())).1.push(thread.id());
                    }
                }
                Membership::None | Membership::Unknown(_) => {}
            }
        }
        let open = threads.groups().filter(|group| group.lead().state() == ReviewState::Open);
        let beyond = if by_group.is_empty() { BTreeSet::new() } else { self.unsearched(open) };
        for (group, of_group) in by_group.into_values() {
            if beyond.contains(&group.id()) {
                if of_group.iter().any(|thread| !sight.threads.contains_key(thread)) {
                    sight.unsearched.insert(group.id());
                }
                continue;
            }
            self.see_group(group, &of_group, from, &mut sight);
        }
        Ok(sight)
    }

    /// Adds those of some threads of a review that are visible because of it.
    fn see_group(
        &self,
        group: ReviewGroup<'_>,
        of_group: &[RecordId],
        from: &Viewpoint,
        sight: &mut ThreadVisibility,
    ) {
        let of_branch = from.branch.as_ref().is_some_and(|name| {
            group.lead().branch() == name.as_bytes() && self.is_still_in(group, name).unwrap_or(true)
        });
        if of_branch {
            sight.threads.extend(of_group.iter().map(|thread| (*thread, WhyVisible::Branch)));
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

    /// The threads whose anchor's commit is in the history of the head, and what is missing of that history.
    fn by_history(
        &self,
        threads: &[Thread<'_>],
        from: &Viewpoint,
    ) -> Result<(BTreeMap<RecordId, WhyVisible>, Vec<CommitId>), ReviewError> {
        let Some(head) = from.commit else { return Ok(<_>::default()) };
        let commit = |thread: Thread<'_>| thread.commit();
        let wanted: BTreeSet<CommitId> = threads.iter().copied().filter_map(commit).collect();
        let reached = history::reached(self.patches.handle(), head, &wanted)?;
        let is_there =
            |thread: &Thread<'_>| commit(*thread).is_some_and(|commit| reached.found.contains(&commit));
        let seen = threads.iter().copied().filter(is_there);
        Ok((seen.map(|thread| (thread.id(), WhyVisible::History)).collect(), reached.missing))
    }

    /// Whether a review of another branch is visible here.
    fn of_review(&self, group: ReviewGroup<'_>, from: &Viewpoint) -> Result<Option<WhyVisible>, ReviewError> {
        let state = group.lead().state();
        let is_base = from.branch.as_ref().is_some_and(|name| group.lead().base() == name.as_bytes());
        if is_base && state == ReviewState::Merged {
            return Ok(Some(WhyVisible::Merged));
        }
        let (work, lead) = self.work(group, &[])?;
        if let Some(branch) = &from.branch
            && (lead.is_some_and(|lead| lead.name == *branch) || self.was_in(group, branch)?)
        {
            return Ok(Some(WhyVisible::Branch));
        }
        // A review that was closed is said to have gone nowhere.
        match from.commit.filter(|_| state != ReviewState::Closed) {
            Some(commit) => Ok(self.arrived(&work, commit)?.map(|_| WhyVisible::Merged)),
            None => Ok(None),
        }
    }
}
