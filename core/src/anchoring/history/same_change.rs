//! Which commit on the head's side makes the change of a commit that is not there: its counterpart.
//!
//! A commit that is amended, rebased, picked or split leaves one behind. What names it comes first, then what it does,
//! then what its file says. Where the way goes from there is `start`'s work.

use std::cmp::Reverse;

use crate::git::{BlobId, CommitId, FileSides, PatchHasher, PatchId, RepoPath};

use super::commit_range::CommitRange;
use super::follow::FileRegion;
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

/// Older commits of the head's side are not looked at: a branch that is reviewed has fewer.
pub(crate) const MAX_COMMITS: usize = 1_024;

/// Older versions of a file on the head's side are not compared.
const MAX_VERSIONS: usize = 64;

/// A commit that changes more files has no patch id here: reading them all costs more than it is worth.
const MAX_FILES: usize = 256;

/// The share of what a branch wrote in a file that another version must have to be a version of the same change.
const OWN_SHARE: f64 = 0.5;

/// What names a commit beside its id.
#[derive(Debug, Default)]
pub(crate) struct CommitNames {
    /// Values of `Change-Id:` trailers and of jj's `change-id` header.
    change_ids: Vec<Vec<u8>>,
    /// Who wrote it: name and mail.
    author: Vec<u8>,
    /// The same with the time, which git keeps if a commit is rewritten.
    pub authored: Vec<u8>,
    /// The first line of its message.
    pub subject: Vec<u8>,
    /// The whole message.
    pub message: Vec<u8>,
}

impl CommitNames {
    /// Reads them from a commit's bytes; a commit that cannot be read has none.
    pub fn of(commit: &[u8], hash: gix::hash::Kind) -> Self {
        let Ok(commit) = gix::objs::CommitRef::from_bytes(commit, hash) else { return Self::default() };
        let header = commit.extra_headers().find("change-id").map(|id| id.to_vec());
        let last = commit.message.rsplit(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let trailers = last.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
        let id = |line: &[u8]| -> Option<Vec<u8>> {
            let (key, value) = line.split_at_checked(b"change-id:".len())?;
            let value = value.trim_ascii();
            (key.eq_ignore_ascii_case(b"change-id:") && !value.is_empty()).then(|| value.to_vec())
        };
        let change_ids = header.into_iter().chain(trailers.filter_map(id)).collect();
        let author =
            commit.author().map(|who| [&**who.name, b"\0", &**who.email].concat()).unwrap_or_default();
        Self {
            change_ids,
            author,
            authored: commit.author.to_vec(),
            subject: commit.message().summary().to_vec(),
            message: commit.message.to_vec(),
        }
    }

    fn share_a_change_id(&self, other: &Self) -> bool {
        self.change_ids.iter().any(|id| other.change_ids.contains(id))
    }
}

/// A version of a file on the head's side, and the first commit that has it.
struct FileVersion {
    commit: CommitId,
    blob: BlobId,
}

/// Finds the counterpart of `from`, which has the file of `place`, on the way from `base` to the head.
///
/// The last commit with its change id; else the last one that does the same (by patch id), or the same to this file;
/// else the version of the file that has most of what the branch wrote in it, if that is half of it.
pub(crate) fn counterpart(
    objects: &Objects,
    from: CommitId,
    forth: &CommitRange,
    place: &FileRegion,
) -> Result<Option<CommitId>, ObjectError> {
    if let Some(found) = same_name(objects, from, forth)? {
        return Ok(Some(found));
    }
    if let Some(found) = same_patch(objects, from, forth)? {
        return Ok(Some(found));
    }
    let versions = versions(objects, forth, &place.path)?;
    if let Some(found) = same_to_file(objects, from, &versions, &place.path)? {
        return Ok(Some(found));
    }
    most_of_it(objects, &*objects.commit_names(from)?, forth, place, &versions)
}

/// The last commit with a change id of `from`.
pub(crate) fn same_name(
    objects: &Objects,
    from: CommitId,
    forth: &CommitRange,
) -> Result<Option<CommitId>, ObjectError> {
    let names = objects.commit_names(from)?;
    if names.change_ids.is_empty() {
        return Ok(None);
    }
    for commit in forth.order[1..].iter().rev().take(MAX_COMMITS).copied() {
        if names.share_a_change_id(&*objects.commit_names(commit)?) {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// The last commit that does the same as `from`, to whatever files.
pub(crate) fn same_patch(
    objects: &Objects,
    from: CommitId,
    forth: &CommitRange,
) -> Result<Option<CommitId>, ObjectError> {
    let Some(wanted) = objects.patch_id(from)? else { return Ok(None) };
    let Some(path) = first_path(objects, from)? else { return Ok(None) };
    for at in touching(objects, forth, &path)? {
        if objects.patch_id(forth.order[at])? == Some(wanted) {
            return Ok(Some(forth.order[at]));
        }
    }
    Ok(None)
}

/// The last commit that changes the file as `from` does.
fn same_to_file(
    objects: &Objects,
    from: CommitId,
    versions: &[FileVersion],
    path: &RepoPath,
) -> Result<Option<CommitId>, ObjectError> {
    let Some(wanted) = file_change(objects, from, path)? else { return Ok(None) };
    for version in versions.iter().rev() {
        if file_change(objects, version.commit, path)? == Some(wanted) {
            return Ok(Some(version.commit));
        }
    }
    Ok(None)
}

/// The version that has most of what the branch wrote in the file; of equal ones the one most like it, then the one by the
/// same author and of the same name, then the oldest.
fn most_of_it(
    objects: &Objects,
    names: &CommitNames,
    forth: &CommitRange,
    place: &FileRegion,
    versions: &[FileVersion],
) -> Result<Option<CommitId>, ObjectError> {
    let whole = objects.fingerprint(place.blob)?;
    let Some(whole) = &*whole else { return Ok(None) };
    let before = entry(objects, forth.ancestor, &place.path)?;
    let own = match before.map(|before| objects.fingerprint(before)).transpose()?.as_deref() {
        Some(Some(before)) => whole.without(before),
        Some(None) => return Ok(None),
        None => whole.clone(),
    };
    let mut best: Option<((u64, u64, bool, bool), CommitId)> = None;
    for version in versions {
        let Some(other) = &*objects.fingerprint(version.blob)? else { continue };
        let shared = own.shared(other);
        if own.size == 0 || (shared as f64) < OWN_SHARE * own.size as f64 {
            continue;
        }
        let its = objects.commit_names(version.commit)?;
        let (author, subject) = (its.author == names.author, its.subject == names.subject);
        let rank = (shared, whole.shared(other), author, subject);
        if best.as_ref().is_none_or(|(other, _)| rank > *other) {
            best = Some((rank, version.commit));
        }
    }
    Ok(best.map(|(_, commit)| commit))
}

/// The versions of a file at its path on the head's side, the oldest first.
fn versions(
    objects: &Objects,
    forth: &CommitRange,
    path: &RepoPath,
) -> Result<Vec<FileVersion>, ObjectError> {
    let mut versions: Vec<FileVersion> = Vec::new();
    for at in touching(objects, forth, path)? {
        let commit = forth.order[at];
        let Some(blob) = entry(objects, commit, path)? else { continue };
        versions.retain(|version| version.blob != blob);
        versions.push(FileVersion { commit, blob });
        if versions.len() == MAX_VERSIONS {
            break;
        }
    }
    versions.reverse();
    Ok(versions)
}

/// The commits that have something else at `path` than their first parents, the last one first.
fn touching(objects: &Objects, forth: &CommitRange, path: &RepoPath) -> Result<Vec<usize>, ObjectError> {
    let folders = forth.folders.of(objects, path.as_bytes())?;
    let look = |at: usize| match forth.folders.tree(&folders, at) {
        Some(folder) => objects.entry(folder, path.file_name()),
        None => Ok(None),
    };
    let mut found = Vec::new();
    for at in (1..forth.order.len()).rev().take(MAX_COMMITS) {
        let Some(&parent) = forth.parents[at].first() else { continue };
        if !folders.are_same(at, parent) && look(at)? != look(parent)? {
            found.push(at);
        }
    }
    Ok(found)
}

fn entry(objects: &Objects, commit: CommitId, path: &RepoPath) -> Result<Option<BlobId>, ObjectError> {
    Ok(match objects.entry(objects.commit(commit)?.tree, path.as_bytes())? {
        Some(PathEntry::File(blob)) => Some(blob),
        Some(PathEntry::Other) | None => None,
    })
}

/// The first path that a commit changes.
fn first_path(objects: &Objects, commit: CommitId) -> Result<Option<RepoPath>, ObjectError> {
    let of = objects.commit(commit)?;
    let Some(Ok(parent)) = of.parents.first().map(|parent| objects.commit(*parent)) else { return Ok(None) };
    let changes = objects.changes(parent.tree, of.tree)?;
    let added = changes.added.iter().chain(&changes.deleted).map(|(path, _)| path);
    Ok(added.chain(changes.modified.iter().map(|(path, ..)| path)).min().cloned())
}

/// What a commit does to one file, as a patch id; `None` for nothing, and for what has no lines.
fn file_change(objects: &Objects, commit: CommitId, path: &RepoPath) -> Result<Option<PatchId>, ObjectError> {
    let of = objects.commit(commit)?;
    let parent = of.parents.first().filter(|parent| objects.commit(**parent).is_ok());
    let before = parent.map(|parent| entry(objects, *parent, path)).transpose()?.flatten();
    let after = entry(objects, commit, path)?;
    if before == after {
        return Ok(None);
    }
    let mut patch = PatchHasher::default();
    add(objects, &mut patch, path, before, after)?;
    Ok(patch.ids().map(|ids| ids.id))
}

/// The patch id of what a commit does, compared with its first parent; `None` if it does nothing, too much, or cannot be read.
pub(crate) fn patch_id(objects: &Objects, commit: CommitId) -> Result<Option<PatchId>, ObjectError> {
    let of = objects.commit(commit)?;
    let Some(Ok(parent)) = of.parents.first().map(|parent| objects.commit(*parent)) else { return Ok(None) };
    let changes = objects.changes(parent.tree, of.tree)?;
    let added = changes.added.iter().map(|(path, blob)| (path, None, Some(*blob)));
    let deleted = changes.deleted.iter().map(|(path, blob)| (path, Some(*blob), None));
    let modified = changes.modified.iter().map(|(path, old, new)| (path, Some(*old), Some(*new)));
    let mut files: Vec<_> = added.chain(deleted).chain(modified).collect();
    if files.len() > MAX_FILES {
        return Ok(None);
    }
    files.sort_by_key(|(path, before, _)| (*path, Reverse(*before)));
    let mut patch = PatchHasher::default();
    for (path, before, after) in files {
        add(objects, &mut patch, path, before, after)?;
    }
    Ok(patch.ids().map(|ids| ids.id))
}

fn add(
    objects: &Objects,
    patch: &mut PatchHasher,
    path: &RepoPath,
    before: Option<BlobId>,
    after: Option<BlobId>,
) -> Result<(), ObjectError> {
    let bytes = |blob: Option<BlobId>| blob.map(|blob| blob.as_bytes().to_vec()).unwrap_or_default();
    let modes = (u16::from(before.is_some()), u16::from(after.is_some()));
    let text = |blob: Option<BlobId>| blob.map(|blob| objects.lines(blob)).transpose();
    match (text(before)?, text(after)?) {
        // Binary or large on one side: that they differ is all that is known.
        (Some(None), _) | (_, Some(None)) => {
            patch.add(path, modes, FileSides::Opaque(&bytes(before), &bytes(after)));
        }
        (before, after) => {
            let (before, after) = (before.flatten(), after.flatten());
            patch.add(path, modes, FileSides::Lines(before.as_deref(), after.as_deref()));
        }
    }
    Ok(())
}
