//! How history connects two commits, and all that lies between an ancestor and its descendant.
//!
//! Canonical: it follows from the commits alone, whatever their clocks say. Bounded by
//! [`MAX_COMMITS`].

use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::git::CommitId;

use super::folders::Folders;
use crate::anchoring::repository::objects::{ObjectError, Objects};

/// With more commits to look at, history is not followed.
const MAX_COMMITS: usize = 60_000;

/// All commits on the ways from an ancestor to a descendant.
#[derive(Debug)]
pub(crate) struct CommitRange {
    pub ancestor: CommitId,
    pub descendant: CommitId,
    /// The ancestor, and every commit between, the descendant included, parents before children.
    pub order: Vec<CommitId>,
    /// Where each is in that order.
    pub index: HashMap<CommitId, usize>,
    /// The parents of each that lead to the ancestor, the first parent first.
    pub parents: Vec<Vec<usize>>,
    /// Their folders.
    pub folders: Folders,
}

/// How history connects two commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitRelation {
    /// The head descends from the anchor's commit.
    Forward,
    /// The anchor's commit descends from the head.
    Backward,
    /// Neither descends from the other; this is their best common ancestor.
    Apart(CommitId),
}

/// Finds how history connects two commits; `None` if it does not, or over too many commits.
pub(crate) fn relation(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
) -> Result<Option<CommitRelation>, ObjectError> {
    let Some(reached) = mark_reached(objects, from, to)? else { return Ok(None) };
    if reached[&from] == BOTH {
        return Ok(Some(CommitRelation::Forward));
    }
    if reached[&to] == BOTH {
        return Ok(Some(CommitRelation::Backward));
    }
    // A best common ancestor is one that no other common one descends from. Of several, the lowest
    // id counts: any choice would do, as long as everybody makes the same.
    let mut shadowed = HashSet::new();
    for commit in reached.iter().filter(|(_, from_which)| **from_which == BOTH).map(|(commit, _)| commit) {
        // Behind the end of a shallow history nothing can be read.
        shadowed.extend(objects.commit(*commit).iter().flat_map(|commit| commit.parents.clone()));
    }
    let bases =
        reached.iter().filter(|(commit, from_which)| **from_which == BOTH && !shadowed.contains(*commit));
    Ok(bases.map(|(commit, _)| *commit).min().map(CommitRelation::Apart))
}

/// The last commits before `tip`, itself included, the newest first; at most `limit` of them.
pub(crate) fn recent(objects: &Objects, tip: CommitId, limit: usize) -> Result<Vec<CommitId>, ObjectError> {
    let mut queue = BinaryHeap::from([(objects.commit(tip)?.time, tip)]);
    let mut seen = HashSet::from([tip]);
    let mut recent = Vec::new();
    while let Some((_, commit)) = queue.pop() {
        recent.push(commit);
        if recent.len() == limit {
            break;
        }
        for parent in &objects.commit(commit)?.parents {
            // A shallow history ends where a parent cannot be read.
            if let Ok(of) = objects.commit(*parent)
                && seen.insert(*parent)
            {
                queue.push((of.time, *parent));
            }
        }
    }
    Ok(recent)
}

/// Reachable from the first commit, from the second, or from both.
type ReachedFrom = u8;
const FROM: ReachedFrom = 1;
const TO: ReachedFrom = 2;
const BOTH: ReachedFrom = FROM | TO;

/// Paints what each of two commits reaches, newest first, until only common ancestors are left.
fn mark_reached(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
) -> Result<Option<HashMap<CommitId, ReachedFrom>>, ObjectError> {
    let mut reached = HashMap::from([(from, FROM), (to, TO)]);
    if from == to {
        return Ok(None);
    }
    let mut queue = BinaryHeap::new();
    for commit in [from, to] {
        queue.push((objects.commit(commit)?.time, commit, reached[&commit]));
    }
    // How many entries of the queue have one colour only.
    let mut single = queue.len();
    while single > 0 {
        let Some((_, commit, from_which)) = queue.pop() else { break };
        if from_which != BOTH {
            single -= 1;
        }
        // A clock that runs backwards can show a commit before all its colours are known; it is
        // then queued once more, and the outdated entry says nothing.
        if reached[&commit] != from_which {
            continue;
        }
        for parent in &objects.commit(commit)?.parents {
            let before = reached.get(parent).copied().unwrap_or(0);
            let after = before | from_which;
            if before == after {
                continue;
            }
            reached.insert(*parent, after);
            // A shallow history ends where a parent cannot be read.
            let Ok(of) = objects.commit(*parent) else { continue };
            queue.push((of.time, *parent, after));
            if after != BOTH {
                single += 1;
            }
        }
        if reached.len() > MAX_COMMITS {
            return Ok(None);
        }
    }
    Ok(Some(reached))
}

/// All commits on the ways from an ancestor to its descendant; `None` if there is no such way, or over too many commits.
pub(crate) fn between(
    objects: &Objects,
    ancestor: CommitId,
    descendant: CommitId,
) -> Result<Option<CommitRange>, ObjectError> {
    let Some(reached) = mark_reached(objects, ancestor, descendant)? else { return Ok(None) };
    // Depth first without recursion: a commit is put after all its parents.
    let mut order = vec![ancestor];
    let mut index = HashMap::from([(ancestor, 0)]);
    let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
    let mut roots = vec![objects.commit(ancestor)?.tree];
    let mut seen = HashSet::from([descendant]);
    let mut stack = vec![(descendant, 0)];
    while let Some((commit, next)) = stack.pop() {
        let of = objects.commit(commit)?;
        if let Some(parent) = of.parents.get(next) {
            stack.push((commit, next + 1));
            let is_between = reached.get(parent).is_some_and(|from_which| *from_which != BOTH);
            if is_between && *parent != ancestor && objects.commit(*parent).is_ok() && seen.insert(*parent) {
                stack.push((*parent, 0));
            }
            continue;
        }
        let leading: Vec<usize> = of.parents.iter().filter_map(|parent| index.get(parent).copied()).collect();
        if !leading.is_empty() {
            index.insert(commit, order.len());
            order.push(commit);
            parents.push(leading);
            roots.push(of.tree);
        }
    }
    let leads = index.contains_key(&descendant);
    let folders = Folders::new(roots);
    Ok(leads.then_some(CommitRange { ancestor, descendant, order, index, parents, folders }))
}
