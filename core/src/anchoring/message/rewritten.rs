//! Which commit on the head's side a commit was rewritten as: amended, reworded, rebased or picked.
//!
//! What names it comes first, then what it does, then who wrote it when: git keeps the author's time of a commit that
//! is rewritten. Unlike the counterpart of a file, it must be this very commit, whatever it does to any file.

use std::collections::BTreeSet;

use crate::anchoring::history::commit_range::CommitRange;
use crate::anchoring::history::same_change::{MAX_COMMITS, same_name, same_patch};
use crate::anchoring::repository::objects::{ObjectError, Objects};
use crate::git::{CommitId, RepoPath};

/// Finds what `from` was rewritten as, on the way from the common ancestor to the head.
///
/// The last commit with its change id; else the last one with its patch id; else the one with its author and author's
/// time, or its whole message, that shares most with it. Of several that share as much, the last one, if they change
/// some file that it changed.
pub(super) fn rewritten(
    objects: &Objects,
    from: CommitId,
    forth: &CommitRange,
) -> Result<Option<CommitId>, ObjectError> {
    if let Some(found) = same_name(objects, from, forth)? {
        return Ok(Some(found));
    }
    if let Some(found) = same_patch(objects, from, forth)? {
        return Ok(Some(found));
    }
    let names = objects.commit_names(from)?;
    let own = paths(objects, from)?;
    let mut best: Option<((bool, bool, bool, usize), CommitId)> = None;
    let mut is_tied = false;
    for commit in forth.order[1..].iter().rev().take(MAX_COMMITS).copied() {
        let its = objects.commit_names(commit)?;
        let (same_message, same_time) = (its.message == names.message, its.authored == names.authored);
        if !same_message && !same_time {
            continue;
        }
        let shared = paths(objects, commit)?.intersection(&own).count();
        let same_subject = its.subject == names.subject;
        // A time alone says nothing: scripts make many commits in one second.
        if !same_message && !same_subject && shared == 0 {
            continue;
        }
        let rank = (same_message, same_time, same_subject, shared);
        match &best {
            Some((other, _)) if rank < *other => {}
            Some((other, _)) if rank == *other => is_tied = true,
            _ => (best, is_tied) = (Some((rank, commit)), false),
        }
    }
    Ok(best.filter(|((.., shared), _)| !is_tied || *shared > 0).map(|(_, commit)| commit))
}

/// The paths that a commit changes, compared with its first parent.
fn paths(objects: &Objects, commit: CommitId) -> Result<BTreeSet<RepoPath>, ObjectError> {
    let of = objects.commit(commit)?;
    let Some(Ok(parent)) = of.parents.first().map(|parent| objects.commit(*parent)) else {
        return Ok(BTreeSet::new());
    };
    let changes = objects.changes(parent.tree, of.tree)?;
    let named = changes.added.iter().chain(&changes.deleted).map(|(path, _)| path);
    Ok(named.chain(changes.modified.iter().map(|(path, ..)| path)).cloned().collect())
}
