//! Goes on from where a place was followed to before, when a head has moved on by a few commits.
//!
//! What is found is what following all of history would find: a way to a commit with one parent is the way to that
//! parent and one step more. Taking that step is `follow`'s work.

use crate::git::CommitId;

use super::cache::TrailKey;
use super::follow::{self, Followed, Pace, Place};
use super::history::Way;
use super::objects::{ObjectError, Objects};
use super::route::Direction;

/// How many commits a head may have moved on since; behind more, history is followed as a whole.
const MAX_BEHIND: usize = 24;

/// A way over more commits is followed as a whole: it may have become too long to be followed at all.
const MAX_COMMITS: usize = 30_000;

/// How far a place was followed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trail {
    pub followed: Followed,
    /// What that took on the last stretch.
    pub pace: Pace,
    /// How many commits lie on the way.
    pub commits: usize,
}

impl Trail {
    /// Whether so many commits more cannot reach a bound.
    fn has_room(&self, more: usize) -> bool {
        self.pace.has_room(more) && self.commits + more <= MAX_COMMITS
    }
}

/// Follows a place from one commit to another one; `None` if neither descends from the other.
pub(super) fn follow(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &Place,
) -> Result<Option<Followed>, ObjectError> {
    let key = |at: CommitId| TrailKey::new(from, at, start);
    if let Some(cached) = objects.cached()
        && let Some((trail, ahead)) = behind(objects, to, |at| cached.trail(&key(at)))?
    {
        let trail = onward(objects, trail, &ahead)?;
        if !ahead.is_empty() {
            cached.put_trail(&key(to), &trail);
        }
        return Ok(Some(trail.followed));
    }
    let (ancestor, descendant, direction) = match *objects.way(from, to)? {
        Some(Way::Forward) => (from, to, Direction::Forward),
        Some(Way::Backward) => (to, from, Direction::Backward),
        Some(Way::Apart(_)) | None => return Ok(None),
    };
    let stretch = objects.stretch(ancestor, descendant)?;
    let Some(stretch) = &*stretch else { return Ok(None) };
    let (followed, pace) = follow::follow(objects, stretch, direction, start)?;
    if direction == Direction::Backward {
        // The next commit may be on the way back as well.
        return Ok(Some(followed));
    }
    let trail = Trail { followed, pace, commits: stretch.order.len() };
    if let Some(cached) = objects.cached() {
        cached.put_trail(&key(to), &trail);
    }
    Ok(Some(trail.followed))
}

/// The nearest commit before `to` that was followed to, and the commits from there on, the last one first.
fn behind(
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
        let Followed::Arrived(place) = trail.followed else { break };
        trail.followed = follow::onward(objects, *commit, place, &mut trail.pace)?;
    }
    trail.commits += ahead.len();
    Ok(trail)
}
