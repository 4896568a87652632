//! Where the way to a head begins, for an anchor whose commit the head does not descend from.
//!
//! An amended, squashed or rebased branch has other commits with the same versions of a file in them. The way begins at
//! the version that was commented on, wherever the head's side has it; else at the commit that makes the same change.
//! Going the way is `trail`'s work.

use crate::git::{CommitId, RepoPath};

use super::commit_range::{CommitRange, CommitRelation};
use super::follow::FileRegion;
use super::same_change;
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

/// In how many of the last commits a file is looked for under other names: each costs a comparison of two trees.
const MAX_RENAMED: usize = 128;

/// Where the way to a head begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HistoryStart {
    /// At this commit, which the head descends from and which has the very file under this name.
    Same(CommitId, RepoPath),
    /// At a commit that makes the same change, or at the common ancestor, for what is there.
    Across {
        /// The commit that makes the same change, if there is one.
        counterpart: Option<CommitId>,
        /// The best common ancestor.
        base: CommitId,
    },
    /// The two versions are compared directly.
    Nowhere,
}

/// Finds where the way to `to` begins for a file of `from`, which may be missing.
///
/// `from` is not an ancestor of `to`, nor the other way round.
pub(crate) fn find_start(
    objects: &Objects,
    from: Option<CommitId>,
    to: CommitId,
    place: &FileRegion,
) -> Result<HistoryStart, ObjectError> {
    let apart = match from.map(|from| objects.relation(from, to)).transpose()?.as_deref() {
        Some(Some(CommitRelation::Apart(base))) => Some(*base),
        _ => None,
    };
    let forth = apart.map(|base| objects.commit_range(base, to)).transpose()?;
    let (Some(from), Some(base), Some(forth)) = (from, apart, forth.as_deref().and_then(Option::as_ref))
    else {
        let recent = objects.recent(to)?;
        return Ok(same(objects, recent.iter().copied(), place)?.unwrap_or(HistoryStart::Nowhere));
    };
    if let Some(same) = same_on(objects, forth, place)? {
        return Ok(same);
    }
    let counterpart = same_change::counterpart(objects, from, forth, place)?;
    Ok(HistoryStart::Across { counterpart, base })
}

/// The last commit of the head's side, or else the common ancestor, that has the very file.
fn same_on(
    objects: &Objects,
    forth: &CommitRange,
    place: &FileRegion,
) -> Result<Option<HistoryStart>, ObjectError> {
    let folders = forth.folders.of(objects, place.path.as_bytes())?;
    let mut last: Option<(usize, bool)> = None;
    for at in (0..forth.order.len()).rev() {
        let is_here = match last {
            Some((before, is_here)) if folders.are_same(before, at) => is_here,
            _ => match forth.folders.tree(&folders, at) {
                Some(folder) => {
                    objects.entry(folder, place.path.file_name())? == Some(PathEntry::File(place.blob))
                }
                None => false,
            },
        };
        if is_here {
            return Ok(Some(HistoryStart::Same(forth.order[at], place.path.clone())));
        }
        last = Some((at, is_here));
    }
    renamed(objects, forth.order[1..].iter().rev().copied(), place)
}

/// The first of some commits, which come newest first, that has the very file.
fn same(
    objects: &Objects,
    commits: impl Iterator<Item = CommitId> + Clone,
    place: &FileRegion,
) -> Result<Option<HistoryStart>, ObjectError> {
    for commit in commits.clone() {
        let tree = objects.commit(commit)?.tree;
        if objects.entry(tree, place.path.as_bytes())? == Some(PathEntry::File(place.blob)) {
            return Ok(Some(HistoryStart::Same(commit, place.path.clone())));
        }
    }
    renamed(objects, commits, place)
}

/// The first of some commits that brought the very file under another name.
fn renamed(
    objects: &Objects,
    commits: impl Iterator<Item = CommitId>,
    place: &FileRegion,
) -> Result<Option<HistoryStart>, ObjectError> {
    for commit in commits.take(MAX_RENAMED) {
        let of = objects.commit(commit)?;
        let Some(Ok(parent)) = of.parents.first().map(|parent| objects.commit(*parent)) else { continue };
        let changes = objects.changes(parent.tree, of.tree)?;
        let Some((path, _)) = changes.added.iter().find(|(_, blob)| *blob == place.blob) else { continue };
        // Where the file is still there under its own name, this is a copy of it.
        if objects.entry(of.tree, place.path.as_bytes())?.is_none() {
            return Ok(Some(HistoryStart::Same(commit, path.clone())));
        }
    }
    Ok(None)
}
