//! Finds out whether the work of one commit is in the history of another, and how it was merged.
//!
//! By ancestry, or by comparing patches. What the work of a review is, is decided in `follow`.

use super::searched_commits::{Searched, authorship};
use crate::git::history::{self, CLOCK_SLOP};
use crate::git::{CommitId, ReadError};
use crate::review::ReviewError;
use crate::review::since::patches::Patches;

/// Work of more commits than this is not searched commit by commit.
const MAX_OWN: usize = 500;

/// How a branch was merged into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowMerged {
    /// By a fast-forward.
    FastForward,
    /// By a merge commit.
    MergeCommit,
    /// Commit by commit, as other commits with the same patches (rebased or cherry-picked).
    Rebase,
    /// As this one commit (squashed).
    Squash(CommitId),
}

/// Work that was found in another branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::review) struct Arrival {
    /// How it was merged.
    pub how: HowMerged,
    /// The commit that completed the merge: the squash, a rebased commit, else its head.
    pub came: CommitId,
}

/// When two commits count as versions of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CommitMatch {
    /// If their patches are the same.
    Patch,
    /// Also if author, author's time and subject are the same, as after `git commit --amend` and `git rebase`.
    PatchOrAuthorship,
}

/// Returns how the work that ends in `head` was merged into `into`, if it was; both must be here.
pub(super) fn merged(
    patches: &Patches,
    head: CommitId,
    into: CommitId,
    likeness: CommitMatch,
) -> Result<Option<Arrival>, ReviewError> {
    if patches.lineages.leads(patches.handle(), head, into)? {
        let on_line = is_on_line(patches.handle(), head, into)?;
        let how = if on_line { HowMerged::FastForward } else { HowMerged::MergeCommit };
        return Ok(Some(Arrival { how, came: head }));
    }
    by_patches(patches, head, into, likeness)
}

fn by_patches(
    patches: &Patches,
    head: CommitId,
    into: CommitId,
    likeness: CommitMatch,
) -> Result<Option<Arrival>, ReviewError> {
    let departed = patches.lineages.departed(patches.handle(), into, head)?;
    let Some(fork) = departed.fork else { return Ok(None) };
    let arrived = patches.lineages.arrived(patches.handle(), into, head)?;
    if departed.own.len() <= MAX_OWN
        && let Some(came) = last_version(patches, &departed.own, &arrived, likeness)?
    {
        return Ok(Some(Arrival { how: HowMerged::Rebase, came }));
    }
    let whole = patches.between(fork, head)?;
    let squash = patches.find_alike(&whole, &arrived)?;
    Ok(squash.map(|squash| Arrival { how: HowMerged::Squash(squash), came: squash }))
}

/// The commits of `base..head`, without merges and empty commits.
pub(super) fn own_commits(
    handle: &gix::Repository,
    base: CommitId,
    head: CommitId,
) -> Result<Vec<CommitId>, ReviewError> {
    let mut own = Vec::new();
    let between = history::between(handle, Some(base), head)?.commits;
    // Where clocks were wrong, some that the base has are among them.
    let known = history::reached(handle, base, &between.iter().copied().collect())?.found;
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
    likeness: CommitMatch,
) -> Result<Option<CommitId>, ReviewError> {
    let handle = patches.handle();
    let mut last = None;
    for commit in wanted {
        let mut version = None;
        if likeness == CommitMatch::PatchOrAuthorship {
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
