//! The changes of one file along a stretch of history.
//!
//! Which commits there are is `history`'s work; what a change does to a region is `follow`'s.

use std::collections::HashMap;
use std::rc::Rc;

use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::files::{self, Went};
use super::follow::Place;
use super::history::Stretch;
use super::objects::{Entry, ObjectError, Objects};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// One change of a file: between which trees, up to which commit, and what it became.
pub(super) struct Change {
    pub commit: CommitId,
    pub old: TreeId,
    pub new: TreeId,
    pub went: Went,
}

/// A file at a commit, and from which parent it came there.
struct State {
    parent: Option<CommitId>,
    file: Rc<(RepoPath, BlobId)>,
    /// How it got lost, if it did; the file is then what it was last.
    lost: Option<CommitId>,
}

/// The changes of a file from `start` on to the stretch's descendant.
///
/// At a merge the parent that has the very same file is followed, else the first one.
pub(super) fn forward(
    objects: &Objects,
    stretch: &Stretch,
    start: CommitId,
    place: &Place,
) -> Result<Vec<Change>, ObjectError> {
    let file = Rc::new((place.path.clone(), place.blob));
    let mut states = HashMap::from([(start, State { parent: None, file, lost: None })]);
    for commit in &stretch.order {
        if states.contains_key(commit) {
            continue;
        }
        let tree = objects.commit(*commit)?.tree;
        let mut chosen: Option<State> = None;
        for parent in &stretch.parents[commit] {
            let Some(before) = states.get(parent) else { continue };
            if before.lost.is_some() {
                continue;
            }
            let same = objects.entry(tree, before.file.0.as_bytes())? == Some(Entry::File(before.file.1));
            if same {
                chosen = Some(State { parent: Some(*parent), file: before.file.clone(), lost: None });
                break;
            }
        }
        if chosen.is_none() {
            let live = |parent: &&CommitId| states.get(parent).is_some_and(|state| state.lost.is_none());
            let parents = &stretch.parents[commit];
            let Some(parent) = parents
                .iter()
                .find(live)
                .or_else(|| parents.iter().find(|parent| states.contains_key(parent)))
            else {
                continue;
            };
            let before = &states[parent];
            chosen = Some(if before.lost.is_some() {
                State { parent: Some(*parent), file: before.file.clone(), lost: before.lost }
            } else {
                let old = objects.commit(*parent)?.tree;
                match files::find(objects, old, tree, &before.file.0, before.file.1)? {
                    Went::File(path, blob) => {
                        State { parent: Some(*parent), file: Rc::new((path, blob)), lost: None }
                    }
                    Went::Other | Went::Gone => {
                        State { parent: Some(*parent), file: before.file.clone(), lost: Some(*commit) }
                    }
                }
            });
        }
        states.extend(chosen.map(|state| (*commit, state)));
    }
    let mut route = Vec::new();
    let mut at = stretch.descendant;
    while let Some(state) = states.get(&at) {
        let Some(parent) = state.parent else { break };
        let before = &states[&parent];
        let changed = !Rc::ptr_eq(&state.file, &before.file);
        let lost_here = state.lost == Some(at);
        if changed || lost_here {
            let went = if lost_here { Went::Gone } else { Went::File(state.file.0.clone(), state.file.1) };
            if lost_here {
                // Whatever was noted beyond the loss never happened to this file.
                route.clear();
            }
            route.push(Change {
                commit: at,
                old: objects.commit(parent)?.tree,
                new: objects.commit(at)?.tree,
                went,
            });
        }
        at = parent;
    }
    route.reverse();
    Ok(route)
}

/// The changes of a file from `start` back to the stretch's ancestor.
pub(super) fn backward(
    objects: &Objects,
    stretch: &Stretch,
    start: CommitId,
    place: &Place,
) -> Result<Vec<Change>, ObjectError> {
    let mut route = Vec::new();
    let mut file = (place.path.clone(), place.blob);
    let mut at = start;
    while at != stretch.ancestor {
        let Some(parents) = stretch.parents.get(&at) else { break };
        let mut same = None;
        for parent in parents {
            let tree = objects.commit(*parent)?.tree;
            if objects.entry(tree, file.0.as_bytes())? == Some(Entry::File(file.1)) {
                same = Some(*parent);
                break;
            }
        }
        if let Some(parent) = same {
            at = parent;
            continue;
        }
        let parent = parents[0];
        let (old, new) = (objects.commit(at)?.tree, objects.commit(parent)?.tree);
        let went = files::find(objects, old, new, &file.0, file.1)?;
        at = parent;
        let end = match &went {
            Went::File(path, blob) => {
                file = (path.clone(), *blob);
                false
            }
            Went::Other | Went::Gone => true,
        };
        route.push(Change { commit: at, old, new, went });
        if end {
            break;
        }
    }
    Ok(route)
}
