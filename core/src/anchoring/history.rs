//! The way through history between two commits: forward, backward, or over their merge base.
//!
//! Canonical: it follows from the commits alone. Bounded by [`MAX_COMMITS`].

use std::collections::{HashMap, HashSet};

use crate::git::CommitId;

use super::objects::{ObjectError, Objects};

/// With more commits between the two ends, history is not followed.
const MAX_COMMITS: usize = 60_000;

/// All commits on the ways from an ancestor to a descendant.
#[derive(Debug)]
pub(super) struct Stretch {
    pub ancestor: CommitId,
    pub descendant: CommitId,
    /// Every commit between, the descendant included, parents before children.
    pub order: Vec<CommitId>,
    /// The parents of each that lead to the ancestor, the first parent first.
    pub parents: HashMap<CommitId, Vec<CommitId>>,
}

/// How history connects two commits.
#[derive(Debug)]
pub(super) enum Way {
    /// The head descends from the anchor's commit.
    Forward(Stretch),
    /// The anchor's commit descends from the head.
    Backward(Stretch),
    /// Back to a common ancestor, then forward.
    Over(Stretch, Stretch),
}

/// Finds how history connects two commits; `None` if it does not, or over too many commits.
pub(super) fn way(
    objects: &Objects<'_>,
    from: CommitId,
    to: CommitId,
) -> Result<Option<Way>, ObjectError> {
    if let Some(stretch) = stretch(objects, from, to)? {
        return Ok(Some(Way::Forward(stretch)));
    }
    if let Some(stretch) = stretch(objects, to, from)? {
        return Ok(Some(Way::Backward(stretch)));
    }
    let Ok(Some(base)) = objects.repo().merge_base(from.raw(), to.raw()) else { return Ok(None) };
    let base = CommitId::from(base.detach());
    match (stretch(objects, base, from)?, stretch(objects, base, to)?) {
        (Some(back), Some(forth)) => Ok(Some(Way::Over(back, forth))),
        _ => Ok(None),
    }
}

/// All commits between `ancestor` and `descendant`; `None` if one is not the other's ancestor.
fn stretch(
    objects: &Objects<'_>,
    ancestor: CommitId,
    descendant: CommitId,
) -> Result<Option<Stretch>, ObjectError> {
    let between = if objects.commit(descendant)?.parents.as_slice() == [ancestor] {
        HashSet::from([descendant])
    } else {
        match between(objects, ancestor, descendant) {
            Some(between) => between,
            None => return Ok(None),
        }
    };
    // Depth first without recursion: a commit is put behind all its parents.
    let mut order = Vec::new();
    let mut parents: HashMap<CommitId, Vec<CommitId>> = HashMap::new();
    let mut seen = HashSet::from([descendant]);
    let mut stack = vec![(descendant, 0)];
    while let Some((commit, next)) = stack.pop() {
        let of = objects.commit(commit)?;
        if let Some(parent) = of.parents.get(next) {
            stack.push((commit, next + 1));
            if between.contains(parent) && seen.insert(*parent) {
                stack.push((*parent, 0));
            }
            continue;
        }
        let leading: Vec<CommitId> = of
            .parents
            .iter()
            .filter(|parent| **parent == ancestor || parents.contains_key(*parent))
            .copied()
            .collect();
        if !leading.is_empty() {
            parents.insert(commit, leading);
            order.push(commit);
        }
    }
    let leads = parents.contains_key(&descendant);
    Ok(leads.then_some(Stretch { ancestor, descendant, order, parents }))
}

/// The commits that `descendant` has and `ancestor` has not.
fn between(objects: &Objects<'_>, ancestor: CommitId, descendant: CommitId) -> Option<HashSet<CommitId>> {
    use gix::revision::walk::Sorting;
    use gix::traverse::commit::simple::CommitTimeOrder;
    let walk = objects
        .repo()
        .rev_walk([descendant.raw()])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .with_hidden([ancestor.raw()])
        .all()
        .ok()?;
    let mut found = HashSet::new();
    for info in walk {
        found.insert(CommitId::from(info.ok()?.id));
        if found.len() > MAX_COMMITS {
            return None;
        }
    }
    Some(found)
}
