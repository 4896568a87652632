//! Where the branch of a review is now, and whether its work has arrived where it was meant to go.
//!
//! The answer follows from the records, the refs and the objects that are here. What the records name are the heads at
//! which somebody said something; what is kept here besides ([`Branches::kept`]) is where the branch was last seen, so
//! that the work is found also where no record names its last version.
//!
//! Limits. A branch that is gone and whose last version nobody named or saw here is found only by commits that kept
//! author, time and subject. A squash is found if it does what the branch did, at the same places: one whose conflicts
//! were resolved is not. That is for a person to call merged.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::ReviewError;
use super::branches::Branches;
use super::group::ReviewGroup;
use super::heads;
use super::merged::{Arrival, How, Likeness, is_on_line, merged};
use super::patches::Patches;
use super::renamed;
use super::review::{Review, ReviewState};
use super::threads::Threads;
use crate::git::PatchId;
use crate::git::{BranchRename, CommitId, RefName, branch_renames, history, left_at};

/// More heads of one review are not looked at; the newest count.
const MAX_HEADS: usize = 16;

/// Follows the reviews of one repository, as its branches are at one moment.
pub struct Following<'a> {
    pub(super) patches: Patches,
    pub(super) branches: &'a Branches,
    renames: OnceCell<Vec<BranchRename>>,
}

/// What has become of the branch of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Its branch, if that is here or on a remote.
    pub branch: Option<Lead>,
    /// How its work came into its base, if it did.
    pub merged: Option<How>,
    /// The last commit that came: the squash, the version of a rebased commit, else the head that was found in the base.
    pub arrived: Option<CommitId>,
}

/// The branch of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Its name as everybody knows it, below `refs/heads/`.
    pub name: RefName,
    /// Where it is.
    pub head: CommitId,
    /// How it was found.
    pub found: Found,
}

/// How the branch of a review was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// By the name that the review has.
    ByName,
    /// There is no branch of that name, and this one goes on with its work.
    Renamed,
    /// The branch was renamed on this machine, as its reflog says; what has the old name now is another.
    RenamedHere,
}

/// The work of a review: what must be somewhere else for the review to be merged there.
#[derive(Debug)]
pub(super) struct Work {
    /// Where the branch is.
    pub tip: Option<CommitId>,
    /// Where it was, as far as that is more than where it began.
    pub heads: Vec<CommitId>,
    /// Where it began.
    pub began: Vec<CommitId>,
}

impl<'a> Following<'a> {
    /// Follows by what `handle` has and where `branches` are.
    pub fn new(handle: &'a gix::Repository, branches: &'a Branches) -> Self {
        Self { patches: Patches::new(handle), branches, renames: OnceCell::new() }
    }

    /// Finds the branch of a review and what has become of it; `seen` are heads that no record may name.
    pub fn follow(&self, group: ReviewGroup<'_>, seen: &[CommitId]) -> Result<Followed, ReviewError> {
        let (work, branch) = self.work(group, seen)?;
        let mut found = None;
        for tip in self.base_tips(group) {
            found = self.arrived(&work, tip)?;
            if found.is_some() {
                break;
            }
        }
        let (merged, arrived) = (found.map(|found| found.how), found.map(|found| found.came));
        Ok(Followed { branch, merged, arrived })
    }

    /// The open review that goes on in a branch: the one of that name, unless its branch was renamed; one whose branch
    /// was renamed to this; or one that had this name before, if the branch has its work.
    ///
    /// Of several with different bases, the one with the usual base counts, else the one under the lowest id.
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

    /// Whether a review with the name of this branch goes on in it, and not in one that had its name before.
    pub(super) fn is_still_in(&self, group: ReviewGroup<'_>, branch: &RefName) -> Result<bool, ReviewError> {
        if self.renamed_from(branch).next().is_none() {
            return Ok(true);
        }
        let (_, lead) = self.work(group, &[])?;
        Ok(lead.is_none_or(|lead| lead.name == *branch))
    }

    /// Whether the branch of a review is gone and this one goes on with its work.
    fn is_renamed_to(&self, group: ReviewGroup<'_>, branch: &RefName) -> Result<bool, ReviewError> {
        let Ok(old) = RefName::from_bytes(group.lead().branch()) else { return Ok(false) };
        if !self.branches.tips(&old).is_empty() && self.renamed_from(&old).next().is_none() {
            return Ok(false);
        }
        let (_, lead) = self.work(group, &[])?;
        Ok(lead.is_some_and(|lead| lead.name == *branch && lead.found != Found::ByName))
    }

    /// The branches that had this name once, as the reflogs say.
    fn renamed_from(&self, old: &RefName) -> impl Iterator<Item = &BranchRename> {
        let all = self.renames.get_or_init(|| {
            let names = self.branches.local().map(|(name, _)| name);
            branch_renames(self.patches.handle().common_dir(), names)
        });
        all.iter().filter(move |rename| rename.old == *old)
    }

    /// What a commit does, compared with its first parent; `None` if that is nothing, or history was cut off there.
    pub fn patch_id(&self, commit: CommitId) -> Result<Option<PatchId>, ReviewError> {
        self.patches.of_commit(commit)?.map_or(Ok(None), |patch| self.patches.id(&patch))
    }

    /// Where the base of a review is, here and on the remotes.
    pub(super) fn base_tips(&self, group: ReviewGroup<'_>) -> Vec<CommitId> {
        let base = RefName::from_bytes(group.lead().base());
        let tips = base.map(|base| self.branches.base_tips(self.patches.handle(), &base)).unwrap_or_default();
        tips.into_iter().filter(|tip| self.has(*tip)).collect()
    }

    /// Finds the work of a review, and its branch.
    pub(super) fn work(
        &self,
        group: ReviewGroup<'_>,
        seen: &[CommitId],
    ) -> Result<(Work, Option<Lead>), ReviewError> {
        let mut began: Vec<CommitId> =
            group.reviews().map(|review| review.said().base_commit).filter(|id| self.has(*id)).collect();
        began.dedup();
        let kept = group.reviews().flat_map(|review| self.branches.kept().of(review.id()));
        let mut named: BTreeSet<CommitId> =
            heads::named_by(group).into_iter().chain(seen.iter().copied()).chain(kept).collect();
        named.extend(self.left(group, &named)?);
        let mut heads = Vec::new();
        for head in named {
            if self.has(head) && self.is_own(&began, head)? {
                heads.push((history::commit(self.patches.handle(), head)?.time, head));
            }
        }
        heads.sort_unstable();
        let heads = heads.into_iter().rev().take(MAX_HEADS).map(|(_, head)| head).collect();
        let mut work = Work { tip: None, heads, began };
        let lead = self.lead(group, &work)?;
        work.tip = lead.as_ref().map(|lead| lead.head);
        Ok((work, lead))
    }

    /// Where a branch that is gone was when it was last left, if that goes on from one of `named`.
    fn left(
        &self,
        group: ReviewGroup<'_>,
        named: &BTreeSet<CommitId>,
    ) -> Result<Option<CommitId>, ReviewError> {
        let handle = self.patches.handle();
        let name = RefName::from_bytes(group.lead().branch()).ok();
        let gone = name.filter(|name| self.branches.tips(name).is_empty());
        let Some(left) = gone.and_then(|name| left_at(handle.git_dir(), &name)) else { return Ok(None) };
        for head in named.iter().filter(|head| self.has(**head) && self.has(left)) {
            if self.patches.lineages.leads(handle, *head, left)? {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }

    fn lead(&self, group: ReviewGroup<'_>, work: &Work) -> Result<Option<Lead>, ReviewError> {
        let Ok(name) = RefName::from_bytes(group.lead().branch()) else { return Ok(None) };
        let moved =
            self.renamed_from(&name).find(|rename| work.heads.iter().any(|head| rename.held.contains(head)));
        if let Some(new) = moved.map(|rename| &rename.new)
            && let Some(head) = self.branches.tip(self.patches.handle(), new)?.filter(|tip| self.has(*tip))
        {
            return Ok(Some(Lead { name: new.clone(), head, found: Found::RenamedHere }));
        }
        let tip = self.branches.tip(self.patches.handle(), &name)?;
        if let Some(head) = tip.filter(|tip| self.has(*tip)) {
            return Ok(Some(Lead { name, head, found: Found::ByName }));
        }
        let tips = self.base_tips(group);
        for tip in &tips {
            // What is done needs no branch any more, and a branch on top of it is another one.
            if self.arrived(work, *tip)?.is_some() {
                return Ok(None);
            }
        }
        // Another review that went by this one's name moved on with the same branch, and does not take it away.
        let others = group.all().reviews().iter().filter(|review| !review.was_called(group.lead().branch()));
        let mut taken: BTreeSet<&[u8]> = others.map(Review::branch).collect();
        taken.extend([group.lead().base()]);
        taken.extend(self.branches.usual_base().map(RefName::as_bytes));
        let free = self.branches.names().into_iter().filter(|name| !taken.contains(name.as_bytes()));
        let found = renamed::find(&self.patches, self.branches, free, &work.heads, &tips)?;
        Ok(found.map(|(name, head)| Lead { name, head, found: Found::Renamed }))
    }

    /// Says how the work came into `into`, if it did.
    ///
    /// A branch that has nothing which `into` lacks is not enough for that: it may never have had anything, or been
    /// reset. Then one of its heads must be found there. Of a branch that is gone, that must be a head which it did not
    /// go on from: the rest may never have come.
    pub(super) fn arrived(&self, work: &Work, into: CommitId) -> Result<Option<Arrival>, ReviewError> {
        let handle = self.patches.handle();
        if let Some(tip) = work.tip {
            if !self.patches.lineages.leads(handle, tip, into)? {
                return merged(&self.patches, tip, into, Likeness::Patch);
            }
            if self.is_own(&work.began, tip)? && !is_on_line(handle, tip, into)? {
                return Ok(Some(Arrival { how: How::MergeCommit, came: tip }));
            }
        }
        for likeness in [Likeness::Patch, Likeness::PatchOrAuthorship] {
            for (at, head) in work.heads.iter().enumerate() {
                // The newest come first.
                if work.tip.is_none() && !self.is_own(&work.heads[..at], *head)? {
                    continue;
                }
                let found = merged(&self.patches, *head, into, likeness)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// Whether a head is more than what these lead to: where the review began, or heads that came later.
    pub(super) fn is_own(&self, began: &[CommitId], head: CommitId) -> Result<bool, ReviewError> {
        for began in began {
            if self.patches.lineages.leads(self.patches.handle(), head, *began)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn has(&self, commit: CommitId) -> bool {
        history::commit(self.patches.handle(), commit).is_ok()
    }
}
