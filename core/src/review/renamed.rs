//! Which branch goes on with the work of one that is gone.
//!
//! Decided by objects alone, so that it does not matter on which machine the branch was renamed: reflogs are not
//! shared, and go with their branch. One branch or none: of several that are equally near, no one is chosen.

use super::ReviewError;
use super::branches::Branches;
use super::merged::{Likeness, last_version};
use super::patches::Patches;
use super::searched::Searched;
use crate::git::{CommitId, RefName, history};

/// How near a branch is to a head: the way it has it, then how many commits it has besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It leads to the head.
    Leads(usize),
    /// It has a version of every commit of the work.
    Rewritten(usize),
}

/// Finds the one branch of `names` that goes on with the work that ended in `heads`.
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
        let mut near: Vec<(Nearness, &RefName, CommitId)> = Vec::new();
        for (name, tip) in &candidates {
            let mut nearest: Option<Nearness> = None;
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
) -> Result<Option<Nearness>, ReviewError> {
    if !patches.lineages.leads(patches.handle(), head, tip)? {
        return Ok(None);
    }
    let beyond = history::between(patches.handle(), Some(head), tip)?.commits.len();
    Ok(Some(Nearness::Leads(beyond)))
}

fn rewritten(
    patches: &Patches,
    head: CommitId,
    tip: CommitId,
    base_tips: &[CommitId],
) -> Result<Option<Nearness>, ReviewError> {
    for base in base_tips {
        let wanted = patches.lineages.departed(patches.handle(), *base, head)?;
        let theirs = patches.lineages.departed(patches.handle(), *base, tip)?;
        let among = Searched::new(theirs.own.iter().rev().copied().collect());
        if last_version(patches, &wanted.own, &among, Likeness::PatchOrAuthorship)?.is_some() {
            return Ok(Some(Nearness::Rewritten(among.len().abs_diff(wanted.own.len()))));
        }
    }
    Ok(None)
}
