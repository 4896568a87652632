//! The changes of one file along a range of commits.
//!
//! Which commits there are is `commit_range`'s work; what a change does to a region is `follow`'s.

use std::rc::Rc;
use std::sync::Arc;

use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::commit_range::CommitRange;
use super::folders::FolderNumbers;
use super::follow::FileRegion;
use crate::anchoring::files::same_file::{self, FileDestination};
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HistoryDirection {
    Forward,
    Backward,
}

/// One change of a file: between which trees, up to which commit, and what it became.
pub(crate) struct HistoryStep {
    pub commit: CommitId,
    pub old: TreeId,
    pub new: TreeId,
    pub went: FileDestination,
}

/// A file at a commit, and from which parent it came there.
struct FileAtCommit {
    parent: Option<usize>,
    file: Rc<(RepoPath, BlobId)>,
    /// Where it got lost, if it did; the file is then what it was last.
    lost: Option<usize>,
}

/// Checks whether a file stayed as it was from one commit of a range of commits to another.
struct SameFileCheck<'a> {
    objects: &'a Objects,
    range: &'a CommitRange,
    /// Whether the file is in its tree where the way begins. An anchor can say what it likes.
    trusted: bool,
    folder: Option<(RepoPath, Arc<FolderNumbers>)>,
}

impl<'a> SameFileCheck<'a> {
    fn new(
        objects: &'a Objects,
        range: &'a CommitRange,
        start: CommitId,
        place: &FileRegion,
    ) -> Result<Self, ObjectError> {
        let tree = objects.commit(start)?.tree;
        let trusted = objects.entry(tree, place.path.as_bytes())? == Some(PathEntry::File(place.blob));
        Ok(Self { objects, range, trusted, folder: None })
    }

    /// Whether a file that `from` has is the very same in `to`.
    fn is_same(
        &mut self,
        from: usize,
        to: usize,
        (path, blob): &(RepoPath, BlobId),
    ) -> Result<bool, ObjectError> {
        let folders = &self.range.folders;
        let numbers = match &self.folder {
            Some((of, numbers)) if of == path => numbers,
            _ => &self.folder.insert((path.clone(), folders.of(self.objects, path.as_bytes())?)).1,
        };
        if self.trusted && numbers.are_same(from, to) {
            return Ok(true);
        }
        // The folder is known, so that no tree above it is looked into.
        let Some(folder) = folders.tree(numbers, to) else { return Ok(false) };
        Ok(self.objects.entry(folder, path.file_name())? == Some(PathEntry::File(*blob)))
    }
}

/// The changes of a file from `start` on to the range's descendant.
///
/// At a merge the parent that has the very same file is followed, else the first one.
pub(crate) fn forward(
    objects: &Objects,
    range: &CommitRange,
    start: CommitId,
    place: &FileRegion,
) -> Result<Vec<HistoryStep>, ObjectError> {
    let tree = |commit: usize| objects.commit(range.order[commit]).map(|commit| commit.tree);
    let mut check = SameFileCheck::new(objects, range, start, place)?;
    let file = Rc::new((place.path.clone(), place.blob));
    let mut states: Vec<Option<FileAtCommit>> = Vec::with_capacity(range.order.len());
    states.resize_with(range.order.len(), || None);
    let Some(&first) = range.index.get(&start) else { return Ok(Vec::new()) };
    states[first] = Some(FileAtCommit { parent: None, file, lost: None });
    for commit in first + 1..range.order.len() {
        let parents = &range.parents[commit];
        let mut chosen: Option<FileAtCommit> = None;
        for parent in parents {
            let Some(before) = states[*parent].as_ref().filter(|before| before.lost.is_none()) else {
                continue;
            };
            if check.is_same(*parent, commit, &before.file)? {
                chosen = Some(FileAtCommit { parent: Some(*parent), file: before.file.clone(), lost: None });
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
                FileAtCommit { parent: Some(parent), file: before.file.clone(), lost: before.lost }
            } else {
                match same_file::find(objects, tree(parent)?, tree(commit)?, &before.file.0, before.file.1)? {
                    FileDestination::File(path, blob) => {
                        FileAtCommit { parent: Some(parent), file: Rc::new((path, blob)), lost: None }
                    }
                    FileDestination::Other | FileDestination::Gone => {
                        FileAtCommit { parent: Some(parent), file: before.file.clone(), lost: Some(commit) }
                    }
                }
            });
        }
        states[commit] = chosen;
    }
    let mut route = Vec::new();
    let mut at = range.order.len() - 1;
    while let Some(state) = &states[at] {
        let Some((parent, before)) = state.parent.and_then(|at| Some((at, states[at].as_ref()?))) else {
            break;
        };
        let changed = !Rc::ptr_eq(&state.file, &before.file);
        let lost_here = state.lost == Some(at);
        if changed || lost_here {
            let went = if lost_here {
                FileDestination::Gone
            } else {
                FileDestination::File(state.file.0.clone(), state.file.1)
            };
            if lost_here {
                // Whatever was noted beyond the loss never happened to this file.
                route.clear();
            }
            route.push(HistoryStep { commit: range.order[at], old: tree(parent)?, new: tree(at)?, went });
        }
        at = parent;
    }
    route.reverse();
    Ok(route)
}

/// The changes of a file from `start` back to the range's ancestor.
pub(crate) fn backward(
    objects: &Objects,
    range: &CommitRange,
    start: CommitId,
    place: &FileRegion,
) -> Result<Vec<HistoryStep>, ObjectError> {
    let tree = |commit: usize| objects.commit(range.order[commit]).map(|commit| commit.tree);
    let mut check = SameFileCheck::new(objects, range, start, place)?;
    let mut route = Vec::new();
    let mut file = (place.path.clone(), place.blob);
    let Some(&first) = range.index.get(&start) else { return Ok(route) };
    let mut at = first;
    // The ancestor is first and has no parent here.
    while let Some(&parent) = range.parents[at].first() {
        let mut same = None;
        for parent in &range.parents[at] {
            if check.is_same(at, *parent, &file)? {
                same = Some(*parent);
                break;
            }
        }
        if let Some(parent) = same {
            at = parent;
            continue;
        }
        let (old, new) = (tree(at)?, tree(parent)?);
        let went = same_file::find(objects, old, new, &file.0, file.1)?;
        at = parent;
        let end = match &went {
            FileDestination::File(path, blob) => {
                file = (path.clone(), *blob);
                false
            }
            FileDestination::Other | FileDestination::Gone => true,
        };
        route.push(HistoryStep { commit: range.order[at], old, new, went });
        if end {
            break;
        }
    }
    Ok(route)
}
