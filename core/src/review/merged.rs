//! Whether the work of one commit is in the history of another, and how it came there.
//!
//! By ancestry, or by what the patches do. What the work of a review is, is `following`'s to say.

use std::collections::BTreeSet;

use super::ReviewError;
use super::patches::Patches;
use crate::git::history::{self, CLOCK_SLOP};
use crate::git::{CommitId, ObjectId, ReadError};

/// Commits of the base that are searched for a patch, those nearest to where the work began; later ones are not.
const MAX_SEARCHED: usize = 10_000;

/// Work of more commits than this is not looked for commit by commit.
const MAX_OWN: usize = 500;

/// How the work of a branch came into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The other branch moved on to it.
    FastForward,
    /// By a commit that has it as a further parent.
    MergeCommit,
    /// Commit by commit, as other commits that do the same.
    Rebase,
    /// All at once, as this commit.
    Squash(CommitId),
}

/// When two commits are versions of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// When they do the same.
    Patch,
    /// Also when author, author's time and subject are the same, as after `git commit --amend` and `git rebase`.
    PatchOrAuthorship,
}

/// Says how the work that ends in `head` came into `into`, if it did; both must be here.
pub(super) fn merged(
    patches: &Patches<'_>,
    head: CommitId,
    into: CommitId,
    likeness: Likeness,
) -> Result<Option<How>, ReviewError> {
    if history::is_ancestor(patches.handle(), head, into)? {
        let on_line = is_on_line(patches.handle(), head, into)?;
        return Ok(Some(if on_line { How::FastForward } else { How::MergeCommit }));
    }
    by_patches(patches, head, into, likeness)
}

fn by_patches(
    patches: &Patches<'_>,
    head: CommitId,
    into: CommitId,
    likeness: Likeness,
) -> Result<Option<How>, ReviewError> {
    let handle = patches.handle();
    let Some(fork) = history::merge_base(handle, head, into)? else { return Ok(None) };
    let own = own_commits(handle, into, head)?;
    let mut arrived = history::between(handle, Some(head), into)?.commits;
    let surplus = arrived.len().saturating_sub(MAX_SEARCHED);
    // The newest come first.
    arrived.drain(..surplus);
    if own.len() <= MAX_OWN && all_found(patches, &own, &arrived, likeness)? {
        return Ok(Some(How::Rebase));
    }
    let whole = patches.between(fork, head)?;
    let squash = patches.find_alike(&whole, arrived.iter().rev().copied())?;
    Ok(squash.map(How::Squash))
}

/// The commits that `head` leads to and `base` does not, without merges and without those that do nothing.
pub(super) fn own_commits(
    handle: &gix::Repository,
    base: CommitId,
    head: CommitId,
) -> Result<Vec<CommitId>, ReviewError> {
    let mut own = Vec::new();
    let between = history::between(handle, Some(base), head)?.commits;
    // Where clocks were wrong, some that the base has are among them.
    let known = history::reached(handle, base, &between.iter().copied().collect())?;
    for commit in between.into_iter().filter(|commit| !known.contains(commit)) {
        let info = history::commit(handle, commit)?;
        let tree_before = match info.parents.as_slice() {
            [] => None,
            [parent] => match history::commit(handle, *parent) {
                // Beyond the end of a shallow history.
                Err(ReadError::Missing { .. }) => None,
                parent => Some(parent?.tree),
            },
            _ => continue,
        };
        if tree_before != Some(info.tree) {
            own.push(commit);
        }
    }
    Ok(own)
}

/// Whether each of `wanted` has a version of itself among `among`; no if none is wanted.
pub(super) fn all_found(
    patches: &Patches<'_>,
    wanted: &[CommitId],
    among: &[CommitId],
    likeness: Likeness,
) -> Result<bool, ReviewError> {
    let authorships = match likeness {
        Likeness::Patch => BTreeSet::new(),
        Likeness::PatchOrAuthorship => {
            among.iter().map(|commit| authorship(patches.handle(), *commit)).collect::<Result<_, _>>()?
        }
    };
    for commit in wanted {
        if likeness == Likeness::PatchOrAuthorship
            && authorships.contains(&authorship(patches.handle(), *commit)?)
        {
            continue;
        }
        let Some(patch) = patches.of_commit(*commit)? else { return Ok(false) };
        if patches.find_alike(&patch, among.iter().copied())?.is_none() {
            return Ok(false);
        }
    }
    Ok(!wanted.is_empty())
}

/// Whether `into` came from `head` by first parents alone, as after a fast-forward.
pub(super) fn is_on_line(
    handle: &gix::Repository,
    head: CommitId,
    into: CommitId,
) -> Result<bool, ReviewError> {
    let oldest = history::commit(handle, head)?.time.saturating_sub(CLOCK_SLOP);
    let mut at = into;
    loop {
        if at == head {
            return Ok(true);
        }
        let info = match history::commit(handle, at) {
            // Beyond the end of a shallow history.
            Err(ReadError::Missing { .. }) => return Ok(false),
            info => info?,
        };
        match info.parents.first() {
            Some(parent) if info.time >= oldest => at = *parent,
            _ => return Ok(false),
        }
    }
}

/// Who wrote a commit and when, and its subject: what an amended or rebased commit keeps.
fn authorship(handle: &gix::Repository, commit: CommitId) -> Result<Vec<u8>, ReviewError> {
    let damaged = |source| ReadError::Damaged { id: ObjectId::from(commit), source };
    let found = handle.find_commit(commit.raw()).map_err(damaged)?;
    let decoded = found.decode().map_err(damaged)?;
    let subject = decoded.message_summary();
    Ok([&**decoded.author, b"\n", &**subject].concat())
}
