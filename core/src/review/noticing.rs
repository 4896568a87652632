//! What a look at the branches tells about the open reviews that the notes do not say yet.
//!
//! Says what is to be written and kept, and writes nothing. Looking again after it was written says nothing more, on
//! this machine or another.

use std::collections::{BTreeMap, BTreeSet};

use super::ReviewError;
use super::following::{Followed, Following, Found};
use super::group::ReviewGroup;
use super::merging::Merging;
use super::opening::Opener;
use super::renaming::Renaming;
use super::review::{Review, ReviewState};
use super::threads::Threads;
use crate::git::CommitId;
use crate::notes::{Home, KeptHeads};
use crate::record::{Record, RecordId};

/// More heads than this are not kept in one repository: anybody who can push can open reviews.
const MAX_KEPT: usize = 2048;

/// What was found out about the open reviews.
#[derive(Debug, Default)]
pub struct Noticed {
    /// What has become of each, by the id it is shown under.
    pub followed: BTreeMap<RecordId, Followed>,
    /// What is to be written.
    pub notices: Vec<Notice>,
    /// Which heads are to be kept from now on, of open reviews and of those that have ended.
    pub keep: KeptHeads,
    /// Reviews of which that could not be found out, and why not.
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
    /// What it says.
    pub news: News,
}

/// What was noticed about a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Its work is in its base.
    Merged,
    /// Its branch has another name.
    Renamed,
}

impl Following<'_> {
    /// Looks after all open reviews; `by` says what only the author of a review can say, if it is theirs.
    ///
    /// A merge is noticed for everybody. A new name of a branch is written down where its reflog proves it, which is on
    /// the machine where it was renamed; elsewhere it is found by its commits. Costs for each open review what
    /// [`Following::follow`] costs.
    pub fn notice(&self, threads: &Threads, by: Option<&Opener>) -> Noticed {
        let mut noticed = Noticed::default();
        for group in threads.groups() {
            if group.lead().state() != ReviewState::Open {
                // Those that nothing is kept of need no word.
                let kept = group.reviews().filter(|review| self.branches.kept().0.contains_key(&review.id()));
                noticed.keep.0.extend(kept.map(|review| (review.id(), BTreeSet::new())));
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
            news: News::Merged,
        });
        noticed.notices.extend(merging);
        if let Some(lead) = followed.branch.as_ref().filter(|lead| lead.found == Found::RenamedHere)
            && let Some(by) = by
        {
            for Renaming { of, record, home } in Renaming::of(group, lead, by)? {
                noticed.notices.push(Notice { of, record, home, news: News::Renamed });
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

    /// Where the branch is, and those heads whose verdicts count that are kept already; of a branch that is gone, where it
    /// was.
    fn heads_to_keep(
        &self,
        group: ReviewGroup<'_>,
        review: &Review,
        followed: &Followed,
    ) -> BTreeSet<CommitId> {
        let kept = self.branches.kept().of(review.id()).filter(|head| self.has(*head));
        let Some(lead) = &followed.branch else { return kept.collect() };
        let judged: BTreeSet<CommitId> =
            group.counting_verdicts().into_iter().map(|verdict| verdict.said.head).collect();
        kept.filter(|head| judged.contains(head)).chain([lead.head]).collect()
    }
}
