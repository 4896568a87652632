//! Branches that have the work of a review under a name which it had before.
//!
//! Who has a branch checked out keeps its old name when somebody else renames it, and is told by the records that the
//! review goes on under another. What they stand on is the review's branch all the same. Where the branch of a review
//! is, for everybody, is `following`'s to say: a former name never changes that.

use super::ReviewError;
use super::following::Following;
use super::group::ReviewGroup;
use super::review::ReviewState;
use super::threads::Threads;
use crate::git::RefName;

impl Following<'_> {
    /// The open review that had the name of this branch and whose work the branch has.
    ///
    /// None where an open review has the name now. Of several with different bases, the one with the usual base counts,
    /// else the one under the lowest id.
    pub fn open_review_once_in<'t>(
        &self,
        threads: &'t Threads,
        branch: &RefName,
    ) -> Result<Option<ReviewGroup<'t>>, ReviewError> {
        let usual = self.branches.usual_base().map(RefName::as_bytes);
        let mut groups: Vec<ReviewGroup<'t>> = threads.groups().collect();
        groups.sort_by_key(|group| (Some(group.lead().base()) != usual, group.id()));
        for group in groups {
            if self.was_in(group, branch)? {
                return Ok(Some(group));
            }
        }
        Ok(None)
    }

    /// Whether this branch has a former name of an open review, and its work.
    ///
    /// A head that the base has too proves nothing: every new branch leads there.
    pub(super) fn was_in(&self, group: ReviewGroup<'_>, branch: &RefName) -> Result<bool, ReviewError> {
        let is_open = |group: &ReviewGroup<'_>| group.lead().state() == ReviewState::Open;
        let had_name = group.reviews().any(|review| review.was_called(branch.as_bytes()));
        let mut open = group.all().groups().filter(is_open);
        if !is_open(&group) || !had_name || open.any(|other| other.lead().branch() == branch.as_bytes()) {
            return Ok(false);
        }
        let handle = self.patches.handle();
        let Some(tip) = self.branches.tip(handle, branch)?.filter(|tip| self.has(*tip)) else {
            return Ok(false);
        };
        let (work, _) = self.work(group, &[])?;
        let base_tips = self.base_tips(group);
        for head in work.tip.into_iter().chain(work.heads) {
            if self.patches.lineages.leads(handle, head, tip)? && self.is_own(&base_tips, head)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
