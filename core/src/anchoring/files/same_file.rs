//! Which file of one tree a file of another tree is: the same path, or a rename.
//!
//! Judging what was renamed to what is `renames`' work.

use crate::git::{BlobId, RepoPath, TreeId};

use super::renames;
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

/// Where a file went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileDestination {
    /// It is there, under this name.
    File(RepoPath, BlobId),
    /// Something without lines took its place.
    Other,
    /// It is gone.
    Gone,
}

/// Finds the file of `new` that `path` with content `blob` in `old` became.
pub(crate) fn find(
    objects: &Objects,
    old: TreeId,
    new: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<FileDestination, ObjectError> {
    let instead = match objects.entry(new, path.as_bytes())? {
        Some(PathEntry::File(found)) => return Ok(FileDestination::File(path.clone(), found)),
        Some(PathEntry::Other) => FileDestination::Other,
        None => FileDestination::Gone,
    };
    let renamed = renames::renamed(objects, (old, new), &(path.clone(), blob))?;
    Ok(renamed.map_or(instead, |(path, blob)| FileDestination::File(path, blob)))
}

/// Finds a file by its content anywhere in a tree, or else by its name: where it was is not known.
pub(crate) fn elsewhere(
    objects: &Objects,
    tree: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
    let files = objects.files(tree)?;
    let near = |same: &dyn Fn(&(RepoPath, BlobId)) -> bool| {
        files
            .iter()
            .filter(|file| same(file))
            .max_by_key(|(to, _)| (nearness(path, to), std::cmp::Reverse(to.clone())))
            .cloned()
    };
    Ok(near(&|(_, found)| *found == blob)
        .or_else(|| near(&|(to, _)| to.file_name().eq_ignore_ascii_case(path.file_name()))))
}

/// How near two paths are: the file name first, then its kind, then shared directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathNearness {
    pub same_name: bool,
    pub same_kind: bool,
    pub shared: usize,
    /// Of equally near paths the shorter one is nearer.
    pub parts: std::cmp::Reverse<usize>,
}

pub(crate) fn nearness(a: &RepoPath, b: &RepoPath) -> PathNearness {
    fn kind(path: &RepoPath) -> Option<&[u8]> {
        let name = path.file_name();
        memchr::memrchr(b'.', name).map(|at| &name[at..])
    }
    let split = |byte: &u8| *byte == b'/';
    let (x, y) = (a.as_bytes().split(split), b.as_bytes().split(split));
    let front = x.zip(y).take_while(|(a, b)| a == b).count();
    let (x, y) = (a.as_bytes().rsplit(split), b.as_bytes().rsplit(split));
    let back = x.zip(y).take_while(|(a, b)| a == b).count();
    PathNearness {
        same_name: a.file_name().eq_ignore_ascii_case(b.file_name()),
        same_kind: kind(a) == kind(b),
        shared: front + back,
        parts: std::cmp::Reverse(b.parts()),
    }
}
