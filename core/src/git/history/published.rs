//! Whether git has already shown a commit to the remotes.
//!
//! Only tracking branches count: no network, and no guess. If in doubt, the answer is no.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};

use gix::remote::Direction;

use crate::git::durable_write::reflog;
use crate::git::error::ReadError;
use crate::git::history;
use crate::git::tree::{self, Subtrees};
use crate::git::{BlobId, CommitId, RefName, Repository};

/// More commits than these are not looked through for blobs; what only older ones have is missed.
const MAX_COMMITS: usize = 4096;

/// Returns those of `commits` that are on a tracking branch of every one of `remotes`.
///
/// Without remotes none is. A commit that is newer than the branch commits above it, by their own times, may be
/// missed. `handle` has the configuration that counts. Costs one walk for each remote, over the commits that are newer
/// than the oldest asked for.
pub fn published(
    repo: &Repository,
    handle: &gix::Repository,
    remotes: &[String],
    commits: &[CommitId],
) -> Result<BTreeSet<CommitId>, ReadError> {
    let mut left: BTreeSet<CommitId> = BTreeSet::new();
    if !remotes.is_empty() {
        left.extend(commits.iter().filter(|id| history::commit(handle, **id).is_ok()));
    }
    for remote in remotes {
        if left.is_empty() {
            break;
        }
        let tips = tracking_tips(repo, handle, remote)?;
        left = reached(handle, tips, &left)?;
    }
    Ok(left)
}

/// Returns those of `blobs` that the tracking branches of every one of `remotes` have, in their tips or in a commit
/// that is not older than `since`.
///
/// Costs one listing, and one tree diff for each further tip and each commit since then.
pub fn blobs_published(
    repo: &Repository,
    handle: &gix::Repository,
    remotes: &[String],
    blobs: &BTreeSet<BlobId>,
    since: i64,
) -> Result<BTreeSet<BlobId>, ReadError> {
    let mut left = if remotes.is_empty() { BTreeSet::new() } else { blobs.clone() };
    for remote in remotes {
        if left.is_empty() {
            break;
        }
        left = held(handle, &tracking_tips(repo, handle, remote)?, &left, since);
    }
    Ok(left)
}

/// Where a blob was seen; used to find out whether a remote has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobSeen {
    /// In these commits.
    pub commits: BTreeSet<CommitId>,
    /// It need not be looked for in commits that are older, in seconds since 1970.
    pub since: i64,
}

/// Returns those of `blobs` that git has ever pushed to `remote` or fetched from it, as far as tracking branches and
/// their reflogs know; branches that were rewritten since count too.
///
/// Costs one walk over the commits that were seen, and for what is left as much as [`blobs_published`].
pub fn blobs_ever_published(
    repo: &Repository,
    handle: &gix::Repository,
    remote: &str,
    blobs: &BTreeMap<BlobId, BlobSeen>,
) -> Result<BTreeSet<BlobId>, ReadError> {
    let mut tips = BTreeSet::new();
    for (name, tip) in tracking_refs(repo, handle, remote)? {
        tips.insert(tip);
        tips.extend(reflog::held(repo, &name));
    }
    let is_here = |id: &&CommitId| history::commit(handle, **id).is_ok();
    let commits = blobs.values().flat_map(|seen| &seen.commits).filter(is_here).copied().collect();
    let shown = reached(handle, tips.iter().copied().collect(), &commits)?;
    let in_public = |seen: &BlobSeen| seen.commits.iter().any(|commit| shown.contains(commit));
    let (mut found, mut left) = (BTreeSet::new(), BTreeSet::new());
    let mut since = i64::MAX;
    for (blob, seen) in blobs {
        if in_public(seen) {
            found.insert(*blob);
        } else {
            left.insert(*blob);
            since = since.min(seen.since);
        }
    }
    if !left.is_empty() {
        let tips: Vec<CommitId> = tips.into_iter().collect();
        found.extend(held(handle, &tips, &left, since));
    }
    Ok(found)
}

/// Returns those of `wanted` that the tips have, or had since then.
fn held(
    handle: &gix::Repository,
    tips: &[CommitId],
    wanted: &BTreeSet<BlobId>,
    since: i64,
) -> BTreeSet<BlobId> {
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut queue = BinaryHeap::new();
    let mut look = |entry: tree::TreeEntry| found.extend(wanted.get(&BlobId::from(entry.id.raw())).copied());
    // A tag, or what a partial or shallow clone does not have, proves nothing and leads nowhere.
    let mut looked_at = None;
    for tip in tips {
        let Ok(commit) = history::commit(handle, *tip) else { continue };
        // Branches are much alike: only what the one before did not have is looked at.
        let Ok(diff) = tree::diff(handle, looked_at, Some(commit.tree), Subtrees::Omit) else { continue };
        diff.changes.iter().filter_map(tree::TreeChange::after).for_each(&mut look);
        looked_at = Some(commit.tree);
        queue.extend(seen.insert(*tip).then_some((commit.time, *tip)));
    }
    while let Some((time, id)) = queue.pop() {
        if time < since || seen.len() > MAX_COMMITS {
            break;
        }
        let Ok(commit) = history::commit(handle, id) else { continue };
        for parent_id in commit.parents {
            let Ok(parent) = history::commit(handle, parent_id) else { continue };
            let diff = tree::diff(handle, Some(parent.tree), Some(commit.tree), Subtrees::Omit);
            let changes = diff.map(|diff| diff.changes).unwrap_or_default();
            changes.iter().filter_map(tree::TreeChange::before).for_each(&mut look);
            queue.extend(seen.insert(parent_id).then_some((parent.time, parent_id)));
        }
    }
    found
}

/// What the tracking branches of `remote` point at.
fn tracking_tips(
    repo: &Repository,
    handle: &gix::Repository,
    remote: &str,
) -> Result<Vec<CommitId>, ReadError> {
    let tips: BTreeSet<CommitId> =
        tracking_refs(repo, handle, remote)?.into_iter().map(|(_, tip)| tip).collect();
    Ok(tips.into_iter().collect())
}

/// The tracking branches of `remote`.
fn tracking_refs(
    repo: &Repository,
    handle: &gix::Repository,
    remote: &str,
) -> Result<Vec<(RefName, CommitId)>, ReadError> {
    let found = handle.find_remote(remote);
    let found = found.map_err(|source| ReadError::Remote { name: remote.to_owned(), source })?;
    let mut branches = Vec::new();
    for spec in found.refspecs(Direction::Fetch) {
        let spec = spec.to_ref();
        // A branch or a note of our own is not proof, even where a mirror's refspec covers it.
        let Some(target) = spec.destination().filter(|to| to.starts_with(b"refs/remotes/")) else {
            continue;
        };
        let target: &[u8] = target;
        let (prefix, suffix) = match target.iter().position(|byte| *byte == b'*') {
            Some(star) => (&target[..star], Some(&target[star + 1..])),
            None => (target, None),
        };
        let dir = prefix.iter().rposition(|byte| *byte == b'/').map_or(prefix, |slash| &prefix[..slash]);
        let listed = repo.list_refs(&String::from_utf8_lossy(dir));
        let listed = listed.map_err(|source| ReadError::TrackingRefs {
            name: remote.to_owned(),
            source: Box::new(source),
        })?;
        branches.extend(listed.refs.into_iter().filter_map(|(name, id)| {
            let rest = name.as_bytes().strip_prefix(prefix)?;
            let covered =
                suffix.map_or(rest.is_empty(), |suffix| rest.len() >= suffix.len() && rest.ends_with(suffix));
            covered.then(|| (name, CommitId::from(id.raw())))
        }));
    }
    Ok(branches)
}

/// Returns those of `wanted` that are ancestors of the tips.
fn reached(
    handle: &gix::Repository,
    tips: Vec<CommitId>,
    wanted: &BTreeSet<CommitId>,
) -> Result<BTreeSet<CommitId>, ReadError> {
    let walk = |id: CommitId| move |source| ReadError::Walk { id: id.into(), source };
    let cache = handle.commit_graph_if_enabled().unwrap_or(None);
    let mut graph = handle.revision_graph::<()>(cache.as_ref());
    let mut oldest = i64::MAX;
    for id in wanted {
        oldest = oldest.min(history::commit(handle, *id)?.time);
    }
    let mut found = BTreeSet::new();
    let mut seen: HashSet<CommitId> = HashSet::new();
    let mut queue = BinaryHeap::new();
    let mut next = tips;
    loop {
        for id in next.drain(..) {
            if !seen.insert(id) {
                continue;
            }
            // A tag's or blob's id, and what is beyond the end of a shallow history, leads nowhere.
            let Some(commit) = graph.try_lookup(&id.raw()).map_err(walk(id))? else { continue };
            let time = commit.committer_timestamp().map_err(walk(id))?;
            if wanted.contains(&id) {
                found.insert(id);
            }
            if time >= oldest {
                let parents = commit.iter_parents().collect::<Result<Vec<_>, _>>().map_err(walk(id))?;
                queue.push((time, id, parents));
            }
        }
        match queue.pop() {
            Some((_, _, parents)) if found.len() < wanted.len() => {
                next = parents.into_iter().map(CommitId::from).collect();
            }
            _ => return Ok(found),
        }
    }
}
