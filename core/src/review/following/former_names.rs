//! Finds branches that have the work of a review under a former name.
//!
//! If somebody renames the branch of a review, other people's clones still have the old name. Their branch is the
//! review's branch all the same. `follow` decides where the branch of a review is for everybody: a former name never
//! changes that.

use super::follow::Following;
use crate::git::RefName;
use crate::review::ReviewError;
use crate::review::folding::review::ReviewState;
use crate::review::folding::review_group::ReviewGroup;
use crate::review::folding::threads::Threads;

impl Following<'_> {
    /// Returns the open review that once had the name of this branch, if the branch has its work.
    ///
    /// Returns `None` if an open review has the name now. Of several with different bases, the one with the default
    /// base counts, else the one with the lowest id.
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

    /// Whether this branch has a former name of an open review, and also its work.
    ///
    /// A head that is also in the base proves nothing: every new branch contains it.
    pub(in crate::review) fn was_in(
        &self,
        group: ReviewGroup<'_>,
        branch: &RefName,
    ) -> Result<bool, ReviewError> {
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
