//! The changes of one file along a stretch of history.
//!
//! Which commits there are is `history`'s work; what a change does to a region is `follow`'s.

use std::rc::Rc;
use std::sync::Arc;

use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::files::{self, Went};
use super::folders::Numbers;
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
    parent: Option<usize>,
    file: Rc<(RepoPath, BlobId)>,
    /// Where it got lost, if it did; the file is then what it was last.
    lost: Option<usize>,
}

/// Tells whether a file stayed as it was from one commit of a stretch to another.
struct Watch<'a> {
    objects: &'a Objects,
    stretch: &'a Stretch,
    /// Whether the file is in its tree where the way begins. An anchor can say what it likes.
    trusted: bool,
    folder: Option<(RepoPath, Arc<Numbers>)>,
}

impl<'a> Watch<'a> {
    fn new(
        objects: &'a Objects,
        stretch: &'a Stretch,
        start: CommitId,
        place: &Place,
    ) -> Result<Self, ObjectError> {
        let tree = objects.commit(start)?.tree;
        let trusted = objects.entry(tree, place.path.as_bytes())? == Some(Entry::File(place.blob));
        Ok(Self { objects, stretch, trusted, folder: None })
    }

    /// Whether a file that `from` has is the very same in `to`.
    fn is_same(
        &mut self,
        from: usize,
        to: usize,
        (path, blob): &(RepoPath, BlobId),
    ) -> Result<bool, ObjectError> {
        let folders = &self.stretch.folders;
        let numbers = match &self.folder {
            Some((of, numbers)) if of == path => numbers,
            _ => &self.folder.insert((path.clone(), folders.of(self.objects, path.as_bytes())?)).1,
        };
        if self.trusted && numbers.are_same(from, to) {
            return Ok(true);
        }
        // The folder is known, so that no tree above it is looked into.
        let Some(folder) = folders.tree(numbers, to) else { return Ok(false) };
        Ok(self.objects.entry(folder, path.file_name())? == Some(Entry::File(*blob)))
    }
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
    let tree = |commit: usize| objects.commit(stretch.order[commit]).map(|commit| commit.tree);
    let mut watch = Watch::new(objects, stretch, start, place)?;
    let file = Rc::new((place.path.clone(), place.blob));
    let mut states: Vec<Option<State>> = Vec::with_capacity(stretch.order.len());
    states.resize_with(stretch.order.len(), || None);
    let Some(&first) = stretch.index.get(&start) else { return Ok(Vec::new()) };
    states[first] = Some(State { parent: None, file, lost: None });
    for commit in first + 1..stretch.order.len() {
        let parents = &stretch.parents[commit];
        let mut chosen: Option<State> = None;
        for parent in parents {
            let Some(before) = states[*parent].as_ref().filter(|before| before.lost.is_none()) else {
                continue;
            };
            if watch.is_same(*parent, commit, &before.file)? {
                chosen = Some(State { parent: Some(*parent), file: before.file.clone(), lost: None });
                break;
            }
        }
        if chosen.is_none() {
            let live = |parent: &&usize| states[**parent].as_ref().is_some_and(|state| state.lost.is_none());
            let parent = parents.iter().find(live);
            let parent = parent.or_else(|| parents.iter().find(|parent| states[**parent].is_some()));
            let Some((parent, before)) = parent.and_then(|at| Some((*at, states[*at].as_ref()?))) else {
                continue;
            };
            chosen = Some(if before.lost.is_some() {
                State { parent: Some(parent), file: before.file.clone(), lost: before.lost }
            } else {
                match files::find(objects, tree(parent)?, tree(commit)?, &before.file.0, before.file.1)? {
                    Went::File(path, blob) => {
                        State { parent: Some(parent), file: Rc::new((path, blob)), lost: None }
                    }
                    Went::Other | Went::Gone => {
                        State { parent: Some(parent), file: before.file.clone(), lost: Some(commit) }
                    }
                }
            });
        }
        states[commit] = chosen;
    }
    let mut route = Vec::new();
    let mut at = stretch.order.len() - 1;
    while let Some(state) = &states[at] {
        let Some((parent, before)) = state.parent.and_then(|at| Some((at, states[at].as_ref()?))) else {
            break;
        };
        let changed = !Rc::ptr_eq(&state.file, &before.file);
        let lost_here = state.lost == Some(at);
        if changed || lost_here {
            let went = if lost_here { Went::Gone } else { Went::File(state.file.0.clone(), state.file.1) };
            if lost_here {
                // Whatever was noted beyond the loss never happened to this file.
                route.clear();
            }
            route.push(Change { commit: stretch.order[at], old: tree(parent)?, new: tree(at)?, went });
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
    let tree = |commit: usize| objects.commit(stretch.order[commit]).map(|commit| commit.tree);
    let mut watch = Watch::new(objects, stretch, start, place)?;
    let mut route = Vec::new();
    let mut file = (place.path.clone(), place.blob);
    let Some(&first) = stretch.index.get(&start) else { return Ok(route) };
    let mut at = first;
    // The ancestor stands first and has no parent here.
    while let Some(&parent) = stretch.parents[at].first() {
        let mut same = None;
        for parent in &stretch.parents[at] {
            if watch.is_same(at, *parent, &file)? {
                same = Some(*parent);
                break;
            }
        }
        if let Some(parent) = same {
            at = parent;
            continue;
        }
        let (old, new) = (tree(at)?, tree(parent)?);
        let went = files::find(objects, old, new, &file.0, file.1)?;
        at = parent;
        let end = match &went {
            Went::File(path, blob) => {
                file = (path.clone(), *blob);
                false
            }
            Went::Other | Went::Gone => true,
        };
        route.push(Change { commit: stretch.order[at], old, new, went });
        if end {
            break;
        }
    }
    Ok(route)
}
