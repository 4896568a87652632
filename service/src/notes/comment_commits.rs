//! The commits in the log of a comment: its own, those up to the head, and those that were rewritten.
//!
//! Where it is at each of them is `log`'s to find.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::{CommitId, ReadError, history};
use postil_protocol::Fault;

use crate::convert::fault::OrFault as _;
use crate::methods::log::MAX_COMMITS;
use crate::positions::positions_at::ThreadToLocate;
use crate::request::Request;

/// Of the former heads, this many are examined, newest first.
const MAX_FORMER_HEADS: usize = 32;

/// The commits of a story, oldest first.
#[derive(Debug, Default)]
pub(crate) struct CommentCommits {
    /// The commits.
    pub stations: Vec<CommentCommit>,
    /// Whether the head does not lead to the commit that the comment was put on, or there was none.
    pub is_broken: bool,
}

/// One commit of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommentCommit {
    /// The commit.
    pub commit: CommitId,
    /// Whether the head leads to it.
    pub course: Course,
}

/// Whether a commit is part of the history of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// The head leads to it.
    Current,
    /// It was replaced by a rebase or an amended commit, or is on another branch.
    Former,
}

/// Finds the way of a comment to `head`.
///
/// Rewritten commits come after the last commit that they share with the head. Of those, the comment's own
/// commit is always listed; the others are those with stored positions, and the commits in between. For a
/// comment on uncommitted lines, the list begins with the commits made since `put_at`.
pub fn commits_of(
    request: &Request,
    asked: &ThreadToLocate<'_>,
    head: CommitId,
    put_at: i64,
) -> Result<CommentCommits, Fault> {
    let handle = request.work_tree.repository().handle();
    let newest_last = |mut commits: Vec<CommitId>| {
        commits.reverse();
        commits
    };
    let between = |known, tip| Ok(newest_last(history::between(&handle, known, tip).or_fault()?.commits));
    let own = asked.anchor.commit;
    let is_here = |commit: &CommitId| history::commit(&handle, *commit).is_ok();
    let leads = |from, to| history::is_ancestor(&handle, from, to).unwrap_or(false);
    let mut way =
        CommentCommits { is_broken: own.is_none_or(|own| !leads(own, head)), ..CommentCommits::default() };
    let current = match own.filter(is_here) {
        Some(own) if !way.is_broken => {
            let mut commits = vec![own];
            commits.extend(between(Some(own), head)?);
            commits
        }
        Some(own) => match history::merge_base(&handle, own, head).or_fault()? {
            Some(base) => between(Some(base), head)?,
            None => vec![head],
        },
        None if own.is_none() => newest_last(made_since(&handle, head, put_at).or_fault()?),
        None => vec![head],
    };
    way.stations =
        current.into_iter().map(|commit| CommentCommit { commit, course: Course::Current }).collect();
    if way.stations.is_empty() {
        // The head is older than the comment.
        way.stations.push(CommentCommit { commit: head, course: Course::Current });
    }
    if let Some(own) = own.filter(|_| way.is_broken) {
        way.insert(0, vec![own]);
    }
    for tip in former_heads(request, asked, head)? {
        let mut commits = vec![tip];
        if let Some(own) = own.filter(|own| is_here(own) && leads(*own, tip)) {
            let beside: BTreeSet<CommitId> = between(Some(head), tip)?.into_iter().collect();
            commits = between(Some(own), tip)?;
            commits.retain(|commit| beside.contains(commit));
        }
        let told: BTreeSet<CommitId> = way.stations.iter().map(|station| station.commit).collect();
        commits.retain(|commit| !told.contains(commit));
        let shared = history::reached(&handle, tip, &told).or_fault()?.found;
        let last = way.stations.iter().rposition(|station| shared.contains(&station.commit));
        way.insert(last.map_or(0, |last| last + 1), commits);
    }
    Ok(way)
}

/// Heads that positions of this comment were kept for and that no branch leads to any more, oldest first.
fn former_heads(
    request: &Request,
    asked: &ThreadToLocate<'_>,
    head: CommitId,
) -> Result<Vec<CommitId>, Fault> {
    let handle = request.work_tree.repository().handle();
    let mut found = Vec::new();
    for tip in request.notes.stored_heads() {
        let Ok(info) = history::commit(&handle, tip) else { continue };
        let own = asked.anchor.commit;
        let is_of_it = request.notes.is_stored_at(tip, asked.id)
            || own.is_some_and(|own| history::is_ancestor(&handle, own, tip).unwrap_or(false));
        // Anybody can name any commit there; one of another history never held the comment.
        let is_related = || history::merge_base(&handle, tip, head).is_ok_and(|base| base.is_some());
        if is_of_it
            && is_related()
            && !history::is_ancestor(&handle, tip, head).or_fault()?
            && !is_alive(request, tip)?
        {
            found.push((info.time, tip));
        }
    }
    found.sort_unstable();
    let spared = found.len().saturating_sub(MAX_FORMER_HEADS);
    Ok(found.split_off(spared).into_iter().map(|(_, tip)| tip).collect())
}

/// Whether a branch leads to this commit, here or on a remote.
pub fn is_alive(request: &Request, commit: CommitId) -> Result<bool, Fault> {
    let handle = request.work_tree.repository().handle();
    if history::commit(&handle, commit).is_err() {
        return Ok(false);
    }
    let names = request.branches.names();
    let mut tips: Vec<CommitId> = names.into_iter().flat_map(|name| request.branches.tips(name)).collect();
    tips.extend(request.head);
    tips.retain(|tip| history::commit(&handle, *tip).is_ok());
    Ok(history::merge_base_of_any(&handle, commit, &tips).or_fault()? == Some(commit))
}

/// The commits that `head` leads to and that are no older than a moment, newest first, and `head` in any case.
///
/// Stops one after the limit of a log, and at a missing commit.
pub(crate) fn made_since(
    handle: &gix::Repository,
    head: CommitId,
    moment: i64,
) -> Result<Vec<CommitId>, ReadError> {
    let first = history::commit(handle, head)?;
    let mut seen = BTreeSet::from([head]);
    let mut open = BTreeMap::from([((first.time, head), first)]);
    let mut found = Vec::new();
    while let Some(((_, commit), info)) = open.pop_last() {
        found.push(commit);
        if found.len() > MAX_COMMITS {
            break;
        }
        for parent in info.parents {
            let Ok(info) = history::commit(handle, parent) else { continue };
            if info.time >= moment && seen.insert(parent) {
                open.insert((info.time, parent), info);
            }
        }
    }
    Ok(found)
}

impl CommentCommits {
    /// Inserts former commits at an index, after the former ones that are already there.
    fn insert(&mut self, at: usize, commits: Vec<CommitId>) {
        let before =
            self.stations[at..].iter().take_while(|station| station.course == Course::Former).count();
        let former = commits.into_iter().map(|commit| CommentCommit { commit, course: Course::Former });
        self.stations.splice(at + before..at + before, former);
    }
}
