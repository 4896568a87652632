//! Finds the new name of a branch that is gone.
//!
//! Only commits are compared, so that it does not matter on which machine the branch was renamed: reflogs are not
//! shared, and are deleted with their branch. Returns one branch or none: if several fit equally well, none is
//! chosen.

use super::branches::Branches;
use super::find_merged::{CommitMatch, last_version};
use super::searched_commits::Searched;
use crate::git::{CommitId, RefName, history};
use crate::review::ReviewError;
use crate::review::since::patches::Patches;

/// How near a branch is to a head: whether it contains it, then how many more commits it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BranchNearness {
    /// It contains the head.
    Leads(usize),
    /// It has a version of every commit of the work.
    Rewritten(usize),
}

/// Finds the one branch of `names` that has the work that ended in `heads`.
///
/// `base_tips` are what the work was compared with.
pub(super) fn find<'n>(
    patches: &Patches,
    branches: &Branches,
    names: impl Iterator<Item = &'n RefName>,
    heads: &[CommitId],
    base_tips: &[CommitId],
) -> Result<Option<(RefName, CommitId)>, ReviewError> {
    let handle = patches.handle();
    let mut candidates = Vec::new();
    for name in names {
        if let Some(tip) = branches.tip(handle, name)?.filter(|tip| history::commit(handle, *tip).is_ok()) {
            candidates.push((name, tip));
        }
    }
    for measure in [leads, rewritten] {
        let mut near: Vec<(BranchNearness, &RefName, CommitId)> = Vec::new();
        for (name, tip) in &candidates {
            let mut nearest: Option<BranchNearness> = None;
            for head in heads {
                nearest = nearest.into_iter().chain(measure(patches, *head, *tip, base_tips)?).min();
            }
            near.extend(nearest.map(|nearest| (nearest, *name, *tip)));
        }
        near.sort_unstable();
        match near.as_slice() {
            [] => {}
            [(first, ..), (second, ..), ..] if first == second => return Ok(None),
            [(_, name, tip), ..] => return Ok(Some(((*name).clone(), *tip))),
        }
    }
    Ok(None)
}

fn leads(
    patches: &Patches,
    head: CommitId,
    tip: CommitId,
    _: &[CommitId],
) -> Result<Option<BranchNearness>, ReviewError> {
    if !patches.lineages.leads(patches.handle(), head, tip)? {
        return Ok(None);
    }
    let beyond = history::between(patches.handle(), Some(head), tip)?.commits.len();
    Ok(Some(BranchNearness::Leads(beyond)))
}

fn rewritten(
    patches: &Patches,
    head: CommitId,
    tip: CommitId,
    base_tips: &[CommitId],
) -> Result<Option<BranchNearness>, ReviewError> {
    for base in base_tips {
        let wanted = patches.lineages.departed(patches.handle(), *base, head)?;
        let theirs = patches.lineages.departed(patches.handle(), *base, tip)?;
        let among = Searched::new(theirs.own.iter().rev().copied().collect());
        if last_version(patches, &wanted.own, &among, CommitMatch::PatchOrAuthorship)?.is_some() {
            return Ok(Some(BranchNearness::Rewritten(among.len().abs_diff(wanted.own.len()))));
        }
    }
    Ok(None)
}
