//! Goes on from where a place was followed to before, when a head has moved on by a few commits.
//!
//! What is found is what following all of history would find: a way to a commit with one parent is the way to that
//! parent and one step more. Taking that step is `follow`'s work.

use crate::git::CommitId;

use super::commit_range::CommitRelation;
use super::file_steps::HistoryDirection;
use super::follow::{self, FileRegion, FollowCost, FollowOutcome};
use crate::anchoring::cache::TrailKey;
use crate::anchoring::repository::objects::{ObjectError, Objects};

/// How many commits a head may have moved on since; after more, history is followed as a whole.
const MAX_BEHIND: usize = 24;

/// A way over more commits is followed as a whole: it may have become too long to be followed at all.
const MAX_COMMITS: usize = 30_000;

/// How far a place was followed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trail {
    pub followed: FollowOutcome,
    /// What that took on the last range.
    pub pace: FollowCost,
    /// How many commits lie on the way.
    pub commits: usize,
}

impl Trail {
    /// Whether this many more commits stay within the bounds.
    fn has_room(&self, more: usize) -> bool {
        self.pace.has_room(more) && self.commits + more <= MAX_COMMITS
    }
}

/// Follows a place from one commit to another one; `None` if neither descends from the other.
pub(crate) fn follow(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &FileRegion,
) -> Result<Option<FollowOutcome>, ObjectError> {
    let key = |at: CommitId| TrailKey::new(from, at, start);
    if let Some(cached) = objects.cached()
        && let Some((trail, ahead)) = nearest_known(objects, to, |at| cached.trail(&key(at)))?
    {
        let trail = onward(objects, trail, &ahead)?;
        if !ahead.is_empty() {
            cached.put_trail(&key(to), &trail);
        }
        return Ok(Some(trail.followed));
    }
    let (ancestor, descendant, direction) = match *objects.relation(from, to)? {
        Some(CommitRelation::Forward) => (from, to, HistoryDirection::Forward),
        Some(CommitRelation::Backward) => (to, from, HistoryDirection::Backward),
        Some(CommitRelation::Apart(_)) | None => return Ok(None),
    };
    let range = objects.commit_range(ancestor, descendant)?;
    let Some(range) = &*range else { return Ok(None) };
    let (followed, pace) = follow::follow(objects, range, direction, start)?;
    if direction == HistoryDirection::Backward {
        // The next commit may be on the way back as well.
        return Ok(Some(followed));
    }
    let trail = Trail { followed, pace, commits: range.order.len() };
    if let Some(cached) = objects.cached() {
        cached.put_trail(&key(to), &trail);
    }
    Ok(Some(trail.followed))
}

/// The nearest commit before `to` that was followed to, and the commits from there on, the last one first.
fn nearest_known(
    objects: &Objects,
    to: CommitId,
    known: impl Fn(CommitId) -> Option<Trail>,
) -> Result<Option<(Trail, Vec<CommitId>)>, ObjectError> {
    let (mut at, mut ahead) = (to, Vec::new());
    while ahead.len() <= MAX_BEHIND {
        if let Some(trail) = known(at) {
            return Ok(trail.has_room(ahead.len()).then_some((trail, ahead)));
        }
        let commit = objects.commit(at)?;
        let [parent] = commit.parents[..] else { break };
        ahead.push(at);
        at = parent;
    }
    Ok(None)
}

fn onward(objects: &Objects, mut trail: Trail, ahead: &[CommitId]) -> Result<Trail, ObjectError> {
    for commit in ahead.iter().rev() {
        let FollowOutcome::Arrived(place) = trail.followed else { break };
        trail.followed = follow::onward(objects, *commit, place, &mut trail.pace)?;
    }
    trail.commits += ahead.len();
    Ok(trail)
}
