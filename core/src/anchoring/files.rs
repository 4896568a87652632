//! Which file of one tree a file of another tree is: the same path, or a rename.
//!
//! A rename is judged once for a pair of trees and a file. Identical content comes first, then
//! shared lines, found with an index of the lost file's lines.

use crate::edit::{Text, normal_hash};
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
    let instead = match objects.entry(new, path.as_bytes())? {
        Some(Entry::File(found)) => return Ok(Went::File(path.clone(), found)),
        Some(Entry::Other) => Went::Other,
        None => Went::Gone,
    };
    let renamed = objects.rename(old, new, path, blob, || renamed(objects, old, new, path, blob))?;
    Ok(renamed.as_ref().clone().unwrap_or(instead))
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
    let lost = objects.fingerprint(blob)?;
    let Some(lost) = lost.as_ref().as_ref().filter(|lost| !lost.lines.is_empty()) else { return Ok(None) };
    let mut ranked: Vec<(Nearness, &(RepoPath, BlobId))> =
        changes.added.iter().map(|added| (nearness(path, &added.0), added)).collect();
    ranked.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.0.cmp(&y.0)));
    ranked.truncate(MAX_COMPARED_FILES);
    let mut scored = Vec::new();
    for (near, candidate) in ranked {
        let other = objects.fingerprint(candidate.1)?;
        let Some(other) = &*other else { continue };
        let share = lost.shared(other) as f64 / lost.size.max(other.size).max(1) as f64;
        scored.push((share, near, candidate));
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

/// The lines of a file, ready to be compared with those of many others.
#[derive(Debug)]
pub(super) struct Fingerprint {
    /// What its lines weigh together.
    size: u64,
    /// The hash of each line, how often it occurs, and what its first occurrence weighs; sorted by hash.
    lines: Vec<(u64, u32, u32)>,
}

impl Fingerprint {
    /// The fingerprint of a text; `None` if it is too large, or has no lines.
    pub fn of(text: &Text) -> Option<Self> {
        if text.bytes().len() > MAX_COMPARED_BYTES || is_binary(text.bytes()) {
            return None;
        }
        let weigh = |line: &[u8]| line.trim_ascii().len() as u32;
        let mut lines: Vec<(u64, u32, u32)> =
            text.bare_lines().map(|line| (normal_hash(line), 1, weigh(line))).collect();
        let size = lines.iter().map(|line| u64::from(line.2)).sum();
        // A stable sort: of equal lines the first one stays in front, and its weight counts.
        lines.sort_by_key(|line| line.0);
        lines.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += u32::from(same);
            same
        });
        Some(Self { size, lines })
    }

    /// What the lines weigh that another file has too.
    fn shared(&self, other: &Self) -> u64 {
        let (mut ours, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut shared = 0;
        while let (Some((hash, count, weight)), Some((other_hash, other_count, _))) =
            (ours.peek(), theirs.peek())
        {
            match hash.cmp(other_hash) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += u64::from(*count.min(other_count)) * u64::from(*weight);
                    ours.next();
                    theirs.next();
                }
            }
        }
        shared
    }
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
    fn kind(path: &RepoPath) -> Option<&[u8]> {
        let name = path.file_name();
        memchr::memrchr(b'.', name).map(|at| &name[at..])
    }
    let parts = |path: &RepoPath| memchr::memchr_iter(b'/', path.as_bytes()).count() + 1;
    let split = |byte: &u8| *byte == b'/';
    let (x, y) = (a.as_bytes().split(split), b.as_bytes().split(split));
    let front = x.zip(y).take_while(|(a, b)| a == b).count();
    let (x, y) = (a.as_bytes().rsplit(split), b.as_bytes().rsplit(split));
    let back = x.zip(y).take_while(|(a, b)| a == b).count();
    Nearness {
        same_name: a.file_name().eq_ignore_ascii_case(b.file_name()),
        same_kind: kind(a) == kind(b),
        shared: front + back,
        parts: std::cmp::Reverse(parts(b)),
    }
}
