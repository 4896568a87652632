//! Which file that a change deleted is which file that it added.
//!
//! Identical content comes first, then shared lines. Mutual best, as for single lines: a file is a lost one's new
//! name only if no other lost file is more like it, unless that one has a better new name of its own. What an added
//! file was before says which of its lines are new.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::git::{BlobId, RepoPath, TreeId};

use super::same_file::{PathNearness, nearness};
use crate::anchoring::repository::objects::{ObjectError, Objects};
use crate::anchoring::repository::tree_differences::TreeDifferences;

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

/// A smaller share neither makes a rename nor is in the way of one.
const MIN_SHARE: f64 = 0.2;

/// How much of a share of lines a path that is wholly the same counts for.
///
/// A file that moved with its folder is more like its copy of then, which somebody keeps among the tests, than like
/// itself; but its path says which of the two it is.
const NEAR_PATH: f64 = 0.25;

/// How much of a share of lines it counts for that a file is kept among tests or others' code as it was before, or not.
const SAME_KEEPING: f64 = 0.4;

/// What folders are called, or begin with, that keep copies of code which is not the project's own work.
const KEEPING: [&[u8]; 6] = [b"test", b"fixture", b"vendor", b"third_party", b"sample", b"example"];

/// More added files are not read; those of the same name and kind come first.
const MAX_COMPARED_FILES: usize = 1_000;

/// More deleted files do not compete for one added file; those of the same name and kind come first.
const MAX_RIVALS: usize = 200;

/// A file and its content.
pub(crate) type FileBlob = (RepoPath, BlobId);

/// An added file that a lost one may have become.
#[derive(Clone, Debug)]
pub(crate) struct RenameCandidate {
    /// The share of lines that is in both.
    share: f64,
    near: PathNearness,
    /// The share of the longer path that is in both.
    near_share: f64,
    /// Whether both are kept among tests and the like, or neither is.
    same_keeping: bool,
    file: FileBlob,
}

impl RenameCandidate {
    /// What the better of two new names has more of.
    fn rank(&self) -> (f64, PathNearness) {
        let keeping = if self.same_keeping { SAME_KEEPING } else { 0.0 };
        (self.share + NEAR_PATH * self.near_share + keeping, self.near)
    }
}

/// The file of the second tree that a file of the first, which is gone from its path, was renamed to; judged once.
pub(crate) fn renamed(
    objects: &Objects,
    trees: (TreeId, TreeId),
    lost: &FileBlob,
) -> Result<Option<FileBlob>, ObjectError> {
    let judge = || judge(objects, trees, lost);
    Ok(objects.rename(trees, lost, judge)?.as_ref().clone())
}

/// The other files that a lost one became as well, if nothing says which of them it is; `found` is one of them.
///
/// A file of the same name is distinguished from all others, and by its folders from others of that name; so is a copy
/// among tests and the like from a file that is not.
pub(crate) fn twins(
    objects: &Objects,
    trees: (TreeId, TreeId),
    lost: &RepoPath,
    found: &FileBlob,
) -> Result<Vec<RepoPath>, ObjectError> {
    let changes = objects.changes(trees.0, trees.1)?;
    if !changes.renamed.contains(&found.1) || !changes.added.contains(found) {
        return Ok(Vec::new());
    }
    let near = nearness(lost, &found.0);
    let is_kept_alike = is_kept_aside(lost) == is_kept_aside(&found.0);
    let is_as_near = |path: &RepoPath| {
        let other = nearness(lost, path);
        if is_kept_alike && is_kept_aside(path) != is_kept_aside(lost) {
            return false;
        }
        other.same_name == near.same_name && (!near.same_name || other.shared == near.shared)
    };
    let others = changes.added.iter().filter(|(path, blob)| *blob == found.1 && *path != found.0);
    Ok(others.map(|(path, _)| path).filter(|path| is_as_near(path)).cloned().collect())
}

/// What an added file was under the name that it had before; `None` if it is not a rename. Judged once.
pub(crate) fn origin(
    objects: &Objects,
    trees: (TreeId, TreeId),
    added: &FileBlob,
) -> Result<Option<BlobId>, ObjectError> {
    let changes = objects.changes(trees.0, trees.1)?;
    if changes.renamed.contains(&added.1) {
        return Ok(Some(added.1));
    }
    let origin = objects.origin(trees, added, || {
        let mut rivals = rivals(objects, &changes, added, SAME_NAME_SHARE);
        rivals.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
        for (_, lost) in rivals {
            if renamed(objects, trees, lost)?.is_some_and(|(path, _)| path == added.0) {
                return Ok(Some(lost.1));
            }
        }
        Ok(None)
    })?;
    Ok(*origin)
}

fn judge(
    objects: &Objects,
    trees: (TreeId, TreeId),
    lost: &FileBlob,
) -> Result<Option<FileBlob>, ObjectError> {
    let (path, blob) = lost;
    let changes = objects.changes(trees.0, trees.1)?;
    let identical = changes.added.iter().filter(|(_, added)| added == blob);
    if let Some(same) = identical.max_by_key(|(to, _)| (nearness(path, to), Reverse(to.clone()))) {
        return Ok(Some(same.clone()));
    }
    let mut ranked = ranking(objects, trees, lost)?.to_vec();
    while let Some(at) = most_like(&ranked) {
        let RenameCandidate { share, file, .. } = ranked.remove(at);
        if !is_anothers(objects, trees, lost, &file, share)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Whether another lost file is more like an added one, and has no better new name of its own.
fn is_anothers(
    objects: &Objects,
    trees: (TreeId, TreeId),
    lost: &FileBlob,
    added: &FileBlob,
    share: f64,
) -> Result<bool, ObjectError> {
    let changes = objects.changes(trees.0, trees.1)?;
    if changes.renamed.contains(&added.1) {
        return Ok(true);
    }
    for (theirs, rival) in rivals(objects, &changes, added, share) {
        if theirs > share && rival.0 != lost.0 {
            let ranked = ranking(objects, trees, rival)?;
            if most_like(&ranked).is_some_and(|at| ranked[at].file.0 == added.0) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The lost files that share at least so much with an added one, and how much.
///
/// Those that were renamed as they were do not compete, nor do those that cannot be read.
fn rivals<'c>(
    objects: &Objects,
    changes: &'c TreeDifferences,
    added: &FileBlob,
    least: f64,
) -> Vec<(f64, &'c FileBlob)> {
    let mut near: Vec<(PathNearness, &FileBlob)> =
        changes.deleted.iter().map(|lost| (nearness(&added.0, &lost.0), lost)).collect();
    near.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.cmp(y)));
    near.truncate(MAX_RIVALS);
    let competing = near.into_iter().filter(|(_, lost)| !changes.renamed.contains(&lost.1));
    let shares = competing.filter_map(|(_, lost)| Some((share(objects, lost.1, added.1).ok()?, lost)));
    shares.filter(|(share, _)| *share >= least).collect()
}

/// The added files that share lines with a lost one, those of the same name and kind first; found once.
fn ranking(
    objects: &Objects,
    trees: (TreeId, TreeId),
    lost: &FileBlob,
) -> Result<Arc<Vec<RenameCandidate>>, ObjectError> {
    objects.ranking(trees, lost, || {
        let changes = objects.changes(trees.0, trees.1)?;
        let mut near: Vec<(PathNearness, &FileBlob)> =
            changes.added.iter().map(|added| (nearness(&lost.0, &added.0), added)).collect();
        near.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.0.cmp(&y.0)));
        near.truncate(MAX_COMPARED_FILES);
        let mut ranked = Vec::new();
        for (near, added) in near {
            let share = share(objects, lost.1, added.1)?;
            if share >= MIN_SHARE {
                let longer = near.parts.0.max(lost.0.parts()) as f64;
                let near_share = near.shared as f64 / longer;
                let same_keeping = is_kept_aside(&lost.0) == is_kept_aside(&added.0);
                ranked.push(RenameCandidate { share, near, near_share, same_keeping, file: added.clone() });
            }
        }
        Ok(ranked)
    })
}

/// Whether a path lies in a folder for tests, samples or others' code.
fn is_kept_aside(path: &RepoPath) -> bool {
    let folders = path.as_bytes().split(|byte| *byte == b'/').rev().skip(1);
    folders.into_iter().any(|folder| {
        let starts =
            |with: &&[u8]| folder.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
        KEEPING.iter().any(starts)
    })
}

/// The share of the lines of the larger of two files that the other has too; none if one of them is not compared.
fn share(objects: &Objects, one: BlobId, other: BlobId) -> Result<f64, ObjectError> {
    let (one, other) = (objects.fingerprint(one)?, objects.fingerprint(other)?);
    Ok(match (&*one, &*other) {
        (Some(one), Some(other)) => one.shared(other) as f64 / one.size.max(other.size).max(1) as f64,
        _ => 0.0,
    })
}

/// Which of the files that share lines with a lost one it became.
fn most_like(ranked: &[RenameCandidate]) -> Option<usize> {
    let floor = |near: &PathNearness| if near.same_name { SAME_NAME_SHARE } else { LONE_SHARE };
    let mut best: Option<usize> = None;
    for (at, likeness) in ranked.iter().enumerate() {
        let is_better = best.is_none_or(|best| likeness.rank() > ranked[best].rank());
        if likeness.share >= floor(&likeness.near) && is_better {
            best = Some(at);
        }
    }
    let best = best?;
    let RenameCandidate { share, near, .. } = &ranked[best];
    let others = ranked.iter().enumerate().filter(|(at, _)| *at != best);
    let next = others.map(|(_, other)| other.share).fold(0.0, f64::max);
    let is_alone = near.same_kind && *share >= LONE_MARGIN * next;
    (near.same_name || *share >= RENAME_SHARE || is_alone).then_some(best)
}
