//! Which file of one tree a file of another tree is: the same path, or a rename.
//!
//! A rename is judged once for a pair of trees and a file. Identical content comes first, then
//! shared lines, found with an index of the lost file's lines.

use std::collections::HashMap;

use crate::edit::normal_hash;
use crate::git::{BlobId, RepoPath, TreeId};

use super::bypass::is_binary;
use super::objects::{Entry, ObjectError, Objects};

/// The share of lines from which a file counts as renamed.
const RENAME_SHARE: f64 = 0.45;

/// The share from which it does if no other file comes near.
///
/// Files whose class was renamed along with them share 0.4 to 0.5 of their lines, and the next
/// file 0.25 at most.
const LONE_SHARE: f64 = 0.33;

/// How many times the share of the next file that must be.
const LONE_MARGIN: f64 = 1.5;

/// The share from which a file of the same name counts as renamed.
const SAME_NAME_SHARE: f64 = 0.3;

/// Larger files are renamed only by identical content.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// More added files are not read; those of the same name and kind come first.
const MAX_COMPARED_FILES: usize = 1_000;

/// Where a file went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Went {
    /// It is there, under this name.
    File(RepoPath, BlobId),
    /// Something without lines took its place.
    Other,
    /// It is gone.
    Gone,
}

/// Finds the file of `new` that `path` with content `blob` in `old` became.
pub(super) fn find(
    objects: &Objects,
    old: TreeId,
    new: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<Went, ObjectError> {
    match objects.entry(new, path.as_bytes())? {
        Some(Entry::File(found)) => return Ok(Went::File(path.clone(), found)),
        Some(Entry::Other) => {
            return Ok(renamed(objects, old, new, path, blob)?.unwrap_or(Went::Other));
        }
        None => {}
    }
    Ok(renamed(objects, old, new, path, blob)?.unwrap_or(Went::Gone))
}

/// Finds a file by its content anywhere in a tree, or else by its name: where it was is not known.
pub(super) fn elsewhere(
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

fn renamed(
    objects: &Objects,
    old: TreeId,
    new: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<Option<Went>, ObjectError> {
    let changes = objects.changes(old, new)?;
    let identical = changes.added.iter().filter(|(_, added)| *added == blob);
    if let Some((to, _)) = identical.max_by_key(|(to, _)| (nearness(path, to), std::cmp::Reverse(to.clone())))
    {
        return Ok(Some(Went::File(to.clone(), blob)));
    }
    let text = objects.text(blob)?;
    if text.bytes().len() > MAX_COMPARED_BYTES || is_binary(text.bytes()) || text.is_empty() {
        return Ok(None);
    }
    let mut lines: HashMap<u64, (u32, u32)> = HashMap::new();
    let mut size = 0u64;
    for line in text.bare_lines() {
        let weight = line.trim_ascii().len() as u32;
        size += u64::from(weight);
        lines.entry(normal_hash(line)).or_insert((0, weight)).0 += 1;
    }
    let mut ranked: Vec<&(RepoPath, BlobId)> = changes.added.iter().collect();
    ranked.sort_by_cached_key(|(to, _)| (std::cmp::Reverse(nearness(path, to)), to.clone()));
    ranked.truncate(MAX_COMPARED_FILES);
    let mut scored = Vec::new();
    for candidate in ranked {
        let other = objects.text(candidate.1)?;
        if other.bytes().len() > MAX_COMPARED_BYTES || is_binary(other.bytes()) {
            continue;
        }
        let mut left: HashMap<u64, u32> = HashMap::new();
        let (mut shared, mut other_size) = (0u64, 0u64);
        for line in other.bare_lines() {
            let weight = line.trim_ascii().len() as u32;
            other_size += u64::from(weight);
            let hash = normal_hash(line);
            if let Some((count, weight)) = lines.get(&hash) {
                let used = left.entry(hash).or_insert(0);
                if *used < *count {
                    *used += 1;
                    shared += u64::from(*weight);
                }
            }
        }
        scored.push((
            shared as f64 / size.max(other_size).max(1) as f64,
            nearness(path, &candidate.0),
            candidate,
        ));
    }
    Ok(most_like(&scored).map(|(to, blob)| Went::File(to.clone(), *blob)))
}

/// The file that a lost one became, of files with the share of lines that is in both.
fn most_like<'f>(scored: &[(f64, Nearness, &'f (RepoPath, BlobId))]) -> Option<&'f (RepoPath, BlobId)> {
    let floor = |near: &Nearness| if near.same_name { SAME_NAME_SHARE } else { LONE_SHARE };
    let mut best: Option<usize> = None;
    for (at, (share, near, _)) in scored.iter().enumerate() {
        let is_better = best.is_none_or(|best| (*share, *near) > (scored[best].0, scored[best].1));
        if *share >= floor(near) && is_better {
            best = Some(at);
        }
    }
    let best = best?;
    let (share, near, file) = &scored[best];
    let others = scored.iter().enumerate().filter(|(at, _)| *at != best);
    let next = others.map(|(_, (share, ..))| *share).fold(0.0, f64::max);
    let is_alone = near.same_kind && *share >= LONE_MARGIN * next;
    (near.same_name || *share >= RENAME_SHARE || is_alone).then_some(*file)
}

/// How near two paths are: the file name first, then its kind, then shared directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nearness {
    pub same_name: bool,
    pub same_kind: bool,
    pub shared: usize,
    /// Of equally near paths the shorter one is nearer.
    pub parts: std::cmp::Reverse<usize>,
}

pub(super) fn nearness(a: &RepoPath, b: &RepoPath) -> Nearness {
    let kind = |path: &RepoPath| {
        let name = path.file_name();
        memchr::memrchr(b'.', name).map(|at| name[at..].to_vec())
    };
    let parts =
        |path: &RepoPath| path.as_bytes().split(|b| *b == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (x, y) = (parts(a), parts(b));
    let front = x.iter().zip(&y).take_while(|(a, b)| a == b).count();
    let back = x.iter().rev().zip(y.iter().rev()).take_while(|(a, b)| a == b).count();
    Nearness {
        same_name: a.file_name().eq_ignore_ascii_case(b.file_name()),
        same_kind: kind(a) == kind(b),
        shared: front + back,
        parts: std::cmp::Reverse(y.len()),
    }
}
