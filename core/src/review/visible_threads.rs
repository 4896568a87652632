//! Which threads are visible at a head.

use std::collections::{BTreeMap, BTreeSet};

use super::ReviewError;
use super::folding::review::ReviewState;
use super::folding::review_group::ReviewGroup;
use super::folding::thread::{Membership, Thread};
use super::folding::threads::Threads;
use super::following::branches::{Branches, Current};
use super::following::follow::{Following, Presence};
use super::following::merge_record::recorded_arrivals;
use super::following::notice::MAX_SEARCHED_REVIEWS;
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
    /// Open reviews that were not searched for: there are more than [`MAX_SEARCHED_REVIEWS`].
    pub unsearched: BTreeSet<RecordId>,
    /// The same of merged reviews whose records do not tell where they arrived.
    pub unsearched_merged: BTreeSet<RecordId>,
}

/// What is known of some threads and reviews from one walk through the history.
#[derive(Debug, Default)]
struct InHistory {
    /// The commits that are in it, of those that were asked for.
    found: BTreeSet<CommitId>,
    missing: Vec<CommitId>,
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
        let mut sight = ThreadVisibility::default();
        let mut by_group: BTreeMap<RecordId, (ReviewGroup<'t>, Vec<RecordId>)> = BTreeMap::new();
        // A thread is visible where one of its copies is.
        let parts = among.iter().flat_map(|thread| thread.with_copies().map(|part| (thread.id(), part)));
        for (id, part) in parts {
            let uncommitted = part.commit().is_none();
            match part.review() {
                Membership::None if uncommitted => {
                    _ = sight.threads.insert(id, WhyVisible::Homeless);
                }
                Membership::Review(review) => {
                    if let Some(group) = threads.group_of(review.id()) {
                        let (_, of_group) = by_group.entry(group.id()).or_insert((group, Vec::new()));
                        if of_group.last() != Some(&id) {
                            of_group.push(id);
                        }
                    }
                }
                Membership::None | Membership::Unknown(_) => {}
            }
        }
        let merged = by_group.values().map(|(group, _)| *group).filter(|group| is_merged(*group));
        let arrivals = merged.flat_map(recorded_arrivals).filter(|commit| self.has(*commit));
        let anchors = among.iter().flat_map(|thread| commits_of(*thread));
        let reached = self.in_history(&anchors.chain(arrivals).collect(), from)?;
        sight.missing = reached.missing;
        for thread in &among {
            if commits_of(*thread).any(|commit| reached.found.contains(&commit)) {
                sight.threads.insert(thread.id(), WhyVisible::History);
            }
        }
        let beyond = if by_group.is_empty() { BTreeSet::new() } else { self.unsearched_open(threads) };
        let mut to_search = Vec::new();
        for (group, of_group) in by_group.into_values() {
            if self.is_of_branch(group, from) {
                sight.threads.extend(of_group.iter().map(|thread| (*thread, WhyVisible::Branch)));
                continue;
            }
            let hidden: Vec<RecordId> =
                of_group.iter().copied().filter(|thread| !sight.threads.contains_key(thread)).collect();
            if hidden.is_empty() {
                continue;
            }
            if has_arrived(group, from, &reached.found) {
                sight.threads.extend(hidden.into_iter().map(|thread| (thread, WhyVisible::Merged)));
            } else if beyond.contains(&group.id()) {
                sight.unsearched.insert(group.id());
            } else {
                to_search.push((group, hidden));
            }
        }
        let beyond = if to_search.iter().any(|(group, _)| is_merged(*group)) {
            self.unsearched_merged(threads, from)?
        } else {
            BTreeSet::new()
        };
        for (group, hidden) in to_search {
            if beyond.contains(&group.id()) {
                // One whose records tell where else it arrived is hardly here as well.
                if !recorded_arrivals(group).any(|commit| self.has(commit)) {
                    sight.unsearched_merged.insert(group.id());
                }
                continue;
            }
            match self.of_review(group, from) {
                Ok(Some(why)) => sight.threads.extend(hidden.into_iter().map(|thread| (thread, why))),
                Ok(None) => {}
                // One damaged object must not hide the threads of all other reviews.
                Err(error) => sight.unknown.push((group.id(), error)),
            }
        }
        Ok(sight)
    }

    /// Which of some commits are in the history of the head.
    fn in_history(&self, wanted: &BTreeSet<CommitId>, from: &Viewpoint) -> Result<InHistory, ReviewError> {
        let Some(head) = from.commit else { return Ok(InHistory::default()) };
        let reached = history::reached(self.patches.handle(), head, wanted)?;
        Ok(InHistory { found: reached.found, missing: reached.missing })
    }

    /// Which merged reviews are too many to be searched for, of those that the records do not place here.
    ///
    /// Depends on all reviews, so that the answer for one does not depend on which others are asked for.
    fn unsearched_merged(
        &self,
        threads: &Threads,
        from: &Viewpoint,
    ) -> Result<BTreeSet<RecordId>, ReviewError> {
        let merged: Vec<ReviewGroup<'_>> = threads.groups().filter(|group| is_merged(*group)).collect();
        if merged.len() <= MAX_SEARCHED_REVIEWS {
            return Ok(BTreeSet::new());
        }
        let arrivals = merged.iter().copied().flat_map(recorded_arrivals).filter(|commit| self.has(*commit));
        let found = self.in_history(&arrivals.collect(), from)?.found;
        let elsewhere = merged.into_iter().filter(|group| !has_arrived(*group, from, &found));
        Ok(self.beyond_bound(elsewhere.filter(|group| self.presence(*group) != Presence::Nothing)))
    }

    /// Whether a review is of the branch that is looked from.
    fn is_of_branch(&self, group: ReviewGroup<'_>, from: &Viewpoint) -> bool {
        from.branch.as_ref().is_some_and(|name| {
            group.lead().branch() == name.as_bytes() && self.is_still_in(group, name).unwrap_or(true)
        })
    }

    /// Searches for the work of a review of another branch.
    fn of_review(&self, group: ReviewGroup<'_>, from: &Viewpoint) -> Result<Option<WhyVisible>, ReviewError> {
        let (work, lead) = self.work(group, &[])?;
        if let Some(branch) = &from.branch
            && (lead.is_some_and(|lead| lead.name == *branch) || self.was_in(group, branch)?)
        {
            return Ok(Some(WhyVisible::Branch));
        }
        // A review that was closed is said to have gone nowhere.
        match from.commit.filter(|_| group.lead().state() != ReviewState::Closed) {
            Some(commit) => Ok(self.arrived(&work, commit)?.map(|_| WhyVisible::Merged)),
            None => Ok(None),
        }
    }
}

/// The commits that a thread is on, also those of its copies and where it was before it was moved.
fn commits_of(thread: Thread<'_>) -> impl Iterator<Item = CommitId> {
    thread.with_copies().chain([thread]).filter_map(Thread::commit)
}

fn is_merged(group: ReviewGroup<'_>) -> bool {
    group.lead().state() == ReviewState::Merged
}

/// Whether records alone tell that a review was merged into the branch that is looked from; `history` has what of their
/// commits is in it.
fn has_arrived(group: ReviewGroup<'_>, from: &Viewpoint, history: &BTreeSet<CommitId>) -> bool {
    let is_base = || from.branch.as_ref().is_some_and(|name| group.lead().base() == name.as_bytes());
    is_merged(group) && (is_base() || recorded_arrivals(group).any(|commit| history.contains(&commit)))
}
