//! Whether the work of one commit is in the history of another, and how it came there.
//!
//! By ancestry, or by what the patches do. What the work of a review is, is `following`'s to say.

use super::ReviewError;
use super::patches::Patches;
use super::searched::{Searched, authorship};
use crate::git::history::{self, CLOCK_SLOP};
use crate::git::{CommitId, ReadError};

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

/// Work that was found where it was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// How it came there.
    pub how: How,
    /// The last commit that came: the squash, a version of one of its commits, else its head.
    pub came: CommitId,
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
    patches: &Patches,
    head: CommitId,
    into: CommitId,
    likeness: Likeness,
) -> Result<Option<Arrival>, ReviewError> {
    if patches.lineages.leads(patches.handle(), head, into)? {
        let on_line = is_on_line(patches.handle(), head, into)?;
        let how = if on_line { How::FastForward } else { How::MergeCommit };
        return Ok(Some(Arrival { how, came: head }));
    }
    by_patches(patches, head, into, likeness)
}

fn by_patches(
    patches: &Patches,
    head: CommitId,
    into: CommitId,
    likeness: Likeness,
) -> Result<Option<Arrival>, ReviewError> {
    let departed = patches.lineages.departed(patches.handle(), into, head)?;
    let Some(fork) = departed.fork else { return Ok(None) };
    let arrived = patches.lineages.arrived(patches.handle(), into, head)?;
    if departed.own.len() <= MAX_OWN
        && let Some(came) = last_version(patches, &departed.own, &arrived, likeness)?
    {
        return Ok(Some(Arrival { how: How::Rebase, came }));
    }
    let whole = patches.between(fork, head)?;
    let squash = patches.find_alike(&whole, &arrived)?;
    Ok(squash.map(|squash| Arrival { how: How::Squash(squash), came: squash }))
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

/// If each of `wanted` has a version of itself among `among`, the last of those versions; `None` if none is wanted.
///
/// Of several versions of one commit the oldest counts, so that what comes later makes no difference.
pub(super) fn last_version(
    patches: &Patches,
    wanted: &[CommitId],
    among: &Searched,
    likeness: Likeness,
) -> Result<Option<CommitId>, ReviewError> {
    let handle = patches.handle();
    let mut last = None;
    for commit in wanted {
        let mut version = None;
        if likeness == Likeness::PatchOrAuthorship {
            version = among.with_authorship(handle, &authorship(handle, *commit)?)?;
        }
        if version.is_none() {
            let Some(patch) = patches.of_commit(*commit)? else { return Ok(None) };
            version = patches.find_alike(&patch, among)?;
        }
        let Some(version) = version else { return Ok(None) };
        last = last.max(Some((history::commit(handle, version)?.time, version)));
    }
    Ok(last.map(|(_, version)| version))
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
