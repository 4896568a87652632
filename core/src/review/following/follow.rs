//! Finds where the branch of a review is now, and whether its work was merged into its base.
//!
//! Uses only the records, the refs and the objects that are here. Records name the heads at which somebody wrote
//! something. Where the branch was last seen is kept here as well ([`Branches::kept`]), so that the work is found
//! even if no record names its last version.
//!
//! Limits. A branch that is gone, and whose last version no record names and nobody saw here, is found only by commits
//! with the same author, time and subject. A squash is found if it does what the branch did, at the same places:  one
//! whose conflicts were resolved is not. A person has to mark that as merged.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};

use super::branches::Branches;
use super::find_merged::{Arrival, CommitMatch, HowMerged, is_on_line, merged};
use super::find_renamed;
use super::named_heads;
use crate::git::PatchId;
use crate::git::{BranchRename, CommitId, LastCheckouts, RefName, branch_renames, history};
use crate::review::ReviewError;
use crate::review::folding::review::{Review, ReviewState};
use crate::review::folding::review_group::ReviewGroup;
use crate::review::folding::threads::Threads;
use crate::review::since::patches::Patches;

/// More heads of one review are ignored; the newest count.
const MAX_HEADS: usize = 16;

/// Follows the reviews of one repository, with its branches at one time.
pub struct Following<'a> {
    pub(in crate::review) patches: Patches,
    pub(super) branches: &'a Branches,
    renames: OnceCell<Vec<BranchRename>>,
    left: OnceCell<LastCheckouts>,
    /// Whether a commit is here: to find that it is not costs a look for new packs.
    present: RefCell<HashMap<CommitId, bool>>,
    /// How heads arrived where: many reviews can name the same.
    arrivals: RefCell<HashMap<(CommitId, CommitId, CommitMatch), Option<Arrival>>>,
}

/// The state of a review's branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedReview {
    /// Its branch, if that is here or on a remote.
    pub branch: Option<ReviewBranch>,
    /// How it was merged into its base, if it was.
    pub merged: Option<HowMerged>,
    /// The commit that completed the merge: the squash, the last rebased commit, else the head that was found in the
    /// base.
    pub arrived: Option<CommitId>,
}

/// The branch of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewBranch {
    /// Its full name, below `refs/heads/`.
    pub name: RefName,
    /// Where it is.
    pub head: CommitId,
    /// How it was found.
    pub found: BranchFound,
}

/// How the branch of a review was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchFound {
    /// By the name in the review.
    ByName,
    /// There is no branch of that name, but this one has its work.
    Renamed,
    /// The branch was renamed on this machine, by its reflog; what has the old name now is another branch.
    RenamedHere,
}

/// What of a review is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::review) enum Presence {
    /// Its branch, by the name that the review has for it.
    Branch,
    /// Some of its commits, by which a branch or a merge is searched for.
    Commits,
    /// Nothing that could be found again.
    Nothing,
}

/// The work of a review: what must be in a base for the review to be merged there.
#[derive(Debug)]
pub(in crate::review) struct ReviewWork {
    /// Where the branch is.
    pub tip: Option<CommitId>,
    /// Where it was, without the commits where it began.
    pub heads: Vec<CommitId>,
    /// Where it began.
    pub began: Vec<CommitId>,
}

impl<'a> Following<'a> {
    /// Follows by what `handle` has and where `branches` are.
    pub fn new(handle: &'a gix::Repository, branches: &'a Branches) -> Self {
        Self {
            patches: Patches::new(handle),
            branches,
            renames: OnceCell::new(),
            left: OnceCell::new(),
            present: RefCell::default(),
            arrivals: RefCell::default(),
        }
    }

    /// Finds the branch of a review and its state; `seen` are further heads, which records need not name.
    pub fn follow(&self, group: ReviewGroup<'_>, seen: &[CommitId]) -> Result<FollowedReview, ReviewError> {
        if seen.is_empty() && self.presence(group) == Presence::Nothing {
            return Ok(FollowedReview { branch: None, merged: None, arrived: None });
        }
        let (work, branch) = self.work(group, seen)?;
        let mut found = None;
        for tip in self.base_tips(group) {
            found = self.arrived(&work, tip)?;
            if found.is_some() {
                break;
            }
        }
        let (merged, arrived) = (found.map(|found| found.how), found.map(|found| found.came));
        Ok(FollowedReview { branch, merged, arrived })
    }

    /// What of a review is here; costs one look for each head that it names.
    pub(in crate::review) fn presence(&self, group: ReviewGroup<'_>) -> Presence {
        let name = RefName::from_bytes(group.lead().branch());
        if name.is_ok_and(|name| !self.branches.tips(&name).is_empty()) {
            return Presence::Branch;
        }
        let mut kept = group.reviews().flat_map(|review| self.branches.kept().of(review.id()));
        let is_here = |head: CommitId| self.has(head);
        if kept.any(is_here) || named_heads::named_by(group).into_iter().any(is_here) {
            return Presence::Commits;
        }
        Presence::Nothing
    }

    /// Returns the open review of a branch: the one with that name, unless its branch was renamed; one whose branch
    /// was renamed to this; or one that had this name before, if the branch has its work.
    ///
    /// Of several with different bases, the one with the default base counts, else the one with the lowest id.
    pub fn open_review_in<'t>(
        &self,
        threads: &'t Threads,
        branch: &RefName,
    ) -> Result<Option<ReviewGroup<'t>>, ReviewError> {
        if let Some(group) = threads.open_review_of(branch, self.branches.usual_base())
            && self.is_still_in(group, branch)?
        {
            return Ok(Some(group));
        }
        for group in threads.groups().filter(|group| group.lead().state() == ReviewState::Open) {
            if self.is_renamed_to(group, branch)? {
                return Ok(Some(group));
            }
        }
        self.open_review_once_in(threads, branch)
    }

    /// Whether a review with the name of this branch is still in this branch, and not in one that was renamed.
    pub(in crate::review) fn is_still_in(
        &self,
        group: ReviewGroup<'_>,
        branch: &RefName,
    ) -> Result<bool, ReviewError> {
        if self.renamed_from(branch).next().is_none() {
            return Ok(true);
        }
        let (_, lead) = self.work(group, &[])?;
        Ok(lead.is_none_or(|lead| lead.name == *branch))
    }

    /// Whether the branch of a review is gone and this one has its work.
    fn is_renamed_to(&self, group: ReviewGroup<'_>, branch: &RefName) -> Result<bool, ReviewError> {
        let Ok(old) = RefName::from_bytes(group.lead().branch()) else { return Ok(false) };
        if !self.branches.tips(&old).is_empty() && self.renamed_from(&old).next().is_none() {
            return Ok(false);
        }
        let (_, lead) = self.work(group, &[])?;
        Ok(lead.is_some_and(|lead| lead.name == *branch && lead.found != BranchFound::ByName))
    }

    /// The branches that once had this name, by the reflogs.
    fn renamed_from(&self, old: &RefName) -> impl Iterator<Item = &BranchRename> {
        let all = self.renames.get_or_init(|| {
            let names = self.branches.local().map(|(name, _)| name);
            branch_renames(self.patches.handle().common_dir(), names)
        });
        all.iter().filter(move |rename| rename.old == *old)
    }

    /// The patch id of a commit against its first parent; `None` if it changes nothing, or history is cut off there.
    pub fn patch_id(&self, commit: CommitId) -> Result<Option<PatchId>, ReviewError> {
        self.patches.of_commit(commit)?.map_or(Ok(None), |patch| self.patches.id(&patch))
    }

    /// Where the base of a review is, here and on the remotes.
    pub(in crate::review) fn base_tips(&self, group: ReviewGroup<'_>) -> Vec<CommitId> {
        let base = RefName::from_bytes(group.lead().base());
        let tips = base.map(|base| self.branches.base_tips(self.patches.handle(), &base)).unwrap_or_default();
        tips.into_iter().filter(|tip| self.has(*tip)).collect()
    }

    /// Finds the work of a review, and its branch.
    pub(in crate::review) fn work(
        &self,
        group: ReviewGroup<'_>,
        seen: &[CommitId],
    ) -> Result<(ReviewWork, Option<ReviewBranch>), ReviewError> {
        let mut began: Vec<CommitId> =
            group.reviews().map(|review| review.said().base_commit).filter(|id| self.has(*id)).collect();
        began.dedup();
        let kept = group.reviews().flat_map(|review| self.branches.kept().of(review.id()));
        let mut named: BTreeSet<CommitId> =
            named_heads::named_by(group).into_iter().chain(seen.iter().copied()).chain(kept).collect();
        named.extend(self.left(group, &named)?);
        let mut heads = Vec::new();
        for head in named {
            if self.has(head) && self.is_own(&began, head)? {
                heads.push((history::commit(self.patches.handle(), head)?.time, head));
            }
        }
        heads.sort_unstable();
        let heads = heads.into_iter().rev().take(MAX_HEADS).map(|(_, head)| head).collect();
        let mut work = ReviewWork { tip: None, heads, began };
        let lead = self.lead(group, &work)?;
        work.tip = lead.as_ref().map(|lead| lead.head);
        Ok((work, lead))
    }

    /// Where a deleted branch was when it was last checked out, if that is a descendant of one of `named`.
    fn left(
        &self,
        group: ReviewGroup<'_>,
        named: &BTreeSet<CommitId>,
    ) -> Result<Option<CommitId>, ReviewError> {
        let handle = self.patches.handle();
        let name = RefName::from_bytes(group.lead().branch()).ok();
        let gone = name.filter(|name| self.branches.tips(name).is_empty());
        let all = || self.left.get_or_init(|| LastCheckouts::read(handle.git_dir()));
        let Some(left) = gone.and_then(|name| all().of(&name)) else {
            return Ok(None);
        };
        for head in named.iter().filter(|head| self.has(**head) && self.has(left)) {
            if self.patches.lineages.leads(handle, *head, left)? {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }

    fn lead(&self, group: ReviewGroup<'_>, work: &ReviewWork) -> Result<Option<ReviewBranch>, ReviewError> {
        let Ok(name) = RefName::from_bytes(group.lead().branch()) else { return Ok(None) };
        let moved =
            self.renamed_from(&name).find(|rename| work.heads.iter().any(|head| rename.held.contains(head)));
        if let Some(new) = moved.map(|rename| &rename.new)
            && let Some(head) = self.branches.tip(self.patches.handle(), new)?.filter(|tip| self.has(*tip))
        {
            return Ok(Some(ReviewBranch { name: new.clone(), head, found: BranchFound::RenamedHere }));
        }
        let tip = self.branches.tip(self.patches.handle(), &name)?;
        if let Some(head) = tip.filter(|tip| self.has(*tip)) {
            return Ok(Some(ReviewBranch { name, head, found: BranchFound::ByName }));
        }
        if work.heads.is_empty() {
            // Nothing of it is here that could be found again.
            return Ok(None);
        }
        let tips = self.base_tips(group);
        for tip in &tips {
            // What is done needs no branch any more, and a branch on top of it is another one.
            if self.arrived(work, *tip)?.is_some() {
                return Ok(None);
            }
        }
        // Another review that went by this one's name moved on with the same branch, and does not take it away.
        let is_other = |review: &Review| !review.was_called(group.lead().branch());
        let bases = [Some(group.lead().base()), self.branches.usual_base().map(RefName::as_bytes)];
        let is_taken =
            |name: &[u8]| bases.contains(&Some(name)) || group.all().reviews_in(name).any(is_other);
        let free = self.branches.names().into_iter().filter(|name| !is_taken(name.as_bytes()));
        let found = find_renamed::find(&self.patches, self.branches, free, &work.heads, &tips)?;
        Ok(found.map(|(name, head)| ReviewBranch { name, head, found: BranchFound::Renamed }))
    }

    /// Returns whether `into` has the work of a review, however it was merged.
    pub fn has_work(&self, group: ReviewGroup<'_>, into: CommitId) -> Result<bool, ReviewError> {
        let (work, _) = self.work(group, &[])?;
        Ok(self.arrived(&work, into)?.is_some())
    }

    /// Returns how the work was merged into `into`, if it was.
    ///
    /// It is not enough that `into` has all of the branch: the branch may never have had anything, or been reset.
    /// Then one of its heads must be found there. If the branch is gone, that must be its last head: the commits
    /// after an earlier head may never have been merged.
    pub(in crate::review) fn arrived(
        &self,
        work: &ReviewWork,
        into: CommitId,
    ) -> Result<Option<Arrival>, ReviewError> {
        let handle = self.patches.handle();
        if let Some(tip) = work.tip {
            if !self.patches.lineages.leads(handle, tip, into)? {
                return self.merged(tip, into, CommitMatch::Patch);
            }
            if self.is_own(&work.began, tip)? && !is_on_line(handle, tip, into)? {
                return Ok(Some(Arrival { how: HowMerged::MergeCommit, came: tip }));
            }
        }
        for likeness in [CommitMatch::Patch, CommitMatch::PatchOrAuthorship] {
            for (at, head) in work.heads.iter().enumerate() {
                // The newest come first.
                if work.tip.is_none() && !self.is_own(&work.heads[..at], *head)? {
                    continue;
                }
                let found = self.merged(*head, into, likeness)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// How a head was merged; searched for once.
    fn merged(
        &self,
        head: CommitId,
        into: CommitId,
        likeness: CommitMatch,
    ) -> Result<Option<Arrival>, ReviewError> {
        let key = (head, into, likeness);
        if let Some(known) = self.arrivals.borrow().get(&key) {
            return Ok(*known);
        }
        let found = merged(&self.patches, head, into, likeness)?;
        self.arrivals.borrow_mut().insert(key, found);
        Ok(found)
    }

    /// Whether a head is not an ancestor of any of these: where the review began, or later heads.
    pub(super) fn is_own(&self, began: &[CommitId], head: CommitId) -> Result<bool, ReviewError> {
        for began in began {
            if self.patches.lineages.leads(self.patches.handle(), head, *began)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(in crate::review) fn has(&self, commit: CommitId) -> bool {
        let known = self.present.borrow().get(&commit).copied();
        known.unwrap_or_else(|| {
            let found = history::commit(self.patches.handle(), commit).is_ok();
            self.present.borrow_mut().insert(commit, found);
            found
        })
    }
}
