//! Notices merges and renames of branches of open reviews that are not in the notes yet.
//!
//! Returns what is to be written and kept, and writes nothing. After it was written, nothing more is noticed, on this
//! machine or another.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::follow::{BranchFound, FollowedReview, Following, Presence};
use super::merge_record::Merging;
use super::opening::Opener;
use super::rename_record::Renaming;
use crate::git::CommitId;
use crate::notes::{Home, KeptHeads};
use crate::record::{Record, RecordId};
use crate::review::ReviewError;
use crate::review::folding::review::{Review, ReviewState};
use crate::review::folding::review_group::ReviewGroup;
use crate::review::folding::threads::Threads;

/// The most heads that are kept in one repository: everybody who can push can open reviews.
const MAX_KEPT: usize = 2048;

/// The most reviews that are searched for in one look, open ones whose branch is gone and merged ones that do not say
/// where they arrived: everybody who can push can open reviews, and each search compares commits. Those that were seen
/// here count first, then the newest.
pub const MAX_SEARCHED_REVIEWS: usize = 256;

/// What was noticed about the open reviews.
#[derive(Debug, Default)]
pub struct Noticed {
    /// The state of each, by the id it is shown under.
    pub followed: BTreeMap<RecordId, FollowedReview>,
    /// What is to be written.
    pub notices: Vec<Notice>,
    /// Which heads are to be kept from now on; none for reviews that have ended.
    pub keep: KeptHeads,
    /// Open reviews that were not searched for: there are more than [`MAX_SEARCHED_REVIEWS`].
    pub unsearched: BTreeSet<RecordId>,
    /// Reviews that could not be followed, and why not.
    pub unknown: Vec<(RecordId, ReviewError)>,
}

/// A record about a review that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The review.
    pub of: RecordId,
    /// The record.
    pub record: Record,
    /// Which note it goes into.
    pub home: Home,
    /// Its content.
    pub news: ReviewNews,
}

/// What was noticed about a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewNews {
    /// It was merged into its base.
    Merged,
    /// Its branch has another name.
    Renamed,
}

impl Following<'_> {
    /// Follows all open reviews; `by` is the person who may record renames of their own reviews.
    ///
    /// Merges are noticed for everybody. A rename is recorded only if the reflog proves it, on the machine where the
    /// branch was renamed; elsewhere the branch is found by its commits. Costs for each open review what
    /// [`Following::follow`] costs, up to [`MAX_SEARCHED_REVIEWS`] that have to be searched for.
    pub fn notice(&self, threads: &Threads, by: Option<&Opener>) -> Noticed {
        let mut noticed = Noticed { unsearched: self.unsearched_open(threads), ..Noticed::default() };
        for group in threads.groups() {
            if group.lead().state() != ReviewState::Open {
                // Those that nothing is kept of need no word.
                let kept = group.reviews().filter(|review| self.branches.kept().0.contains_key(&review.id()));
                noticed.keep.0.extend(kept.map(|review| (review.id(), BTreeSet::new())));
                continue;
            }
            if noticed.unsearched.contains(&group.id()) {
                // What is kept of it stays so.
                let kept = self.branches.kept();
                let reviews = group.reviews().filter(|review| kept.0.contains_key(&review.id()));
                noticed.keep.0.extend(reviews.map(|review| (review.id(), kept.of(review.id()).collect())));
                continue;
            }
            if let Err(error) = self.notice_one(group, by, &mut noticed) {
                noticed.unknown.push((group.id(), error));
            }
        }
        let mut kept = 0;
        for heads in noticed.keep.0.values_mut() {
            if kept >= MAX_KEPT {
                heads.clear();
            }
            kept += heads.len();
        }
        noticed
    }

    /// Which open reviews are too many to be searched for: their branch is gone.
    pub(in crate::review) fn unsearched_open(&self, threads: &Threads) -> BTreeSet<RecordId> {
        let open = threads.groups().filter(|group| group.lead().state() == ReviewState::Open);
        self.beyond_bound(open.filter(|group| self.presence(*group) == Presence::Commits))
    }

    /// Which of some reviews are too many to be searched for.
    pub(in crate::review) fn beyond_bound<'t>(
        &self,
        searched: impl Iterator<Item = ReviewGroup<'t>>,
    ) -> BTreeSet<RecordId> {
        let mut searched: Vec<ReviewGroup<'t>> = searched.collect();
        if searched.len() <= MAX_SEARCHED_REVIEWS {
            return BTreeSet::new();
        }
        let kept = &self.branches.kept().0;
        let was_seen =
            |group: &ReviewGroup<'t>| group.reviews().any(|review| kept.contains_key(&review.id()));
        searched.sort_by_cached_key(|group| {
            (Reverse(was_seen(group)), Reverse(group.lead().said().at), group.id())
        });
        searched.split_off(MAX_SEARCHED_REVIEWS).into_iter().map(ReviewGroup::id).collect()
    }

    fn notice_one(
        &self,
        group: ReviewGroup<'_>,
        by: Option<&Opener>,
        noticed: &mut Noticed,
    ) -> Result<(), ReviewError> {
        let followed = self.follow(group, &[])?;
        let merging = Merging::of(self.patches.handle(), group, &followed)?;
        let ended: BTreeSet<RecordId> = merging.iter().map(|merging| merging.of).collect();
        let merging = merging.into_iter().map(|Merging { of, record, home }| Notice {
            of,
            record,
            home,
            news: ReviewNews::Merged,
        });
        noticed.notices.extend(merging);
        if let Some(lead) = followed.branch.as_ref().filter(|lead| lead.found == BranchFound::RenamedHere)
            && let Some(by) = by
        {
            for Renaming { of, record, home } in Renaming::of(group, lead, by)? {
                noticed.notices.push(Notice { of, record, home, news: ReviewNews::Renamed });
            }
        }
        for review in group.reviews() {
            let wanted = if ended.contains(&review.id()) {
                BTreeSet::new()
            } else {
                self.heads_to_keep(group, review, &followed)
            };
            noticed.keep.0.insert(review.id(), wanted);
        }
        noticed.followed.insert(group.id(), followed);
        Ok(())
    }

    /// The head of the branch, and heads with verdicts that count, if they are kept already; of a branch that is
    /// gone, its last head.
    fn heads_to_keep(
        &self,
        group: ReviewGroup<'_>,
        review: &Review,
        followed: &FollowedReview,
    ) -> BTreeSet<CommitId> {
        let kept = self.branches.kept().of(review.id()).filter(|head| self.has(*head));
        let Some(lead) = &followed.branch else { return kept.collect() };
        let judged: BTreeSet<CommitId> =
            group.counting_verdicts().into_iter().map(|verdict| verdict.said.head).collect();
        kept.filter(|head| judged.contains(head)).chain([lead.head]).collect()
    }
}
