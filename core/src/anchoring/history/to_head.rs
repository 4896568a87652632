//! Takes a place from its own commit to a head, over whatever history lies between the two.
//!
//! Where the way begins on a rewritten branch is `start`'s to say, and what one range of commits does to a place is
//! `trail`'s. The same versions of a file in the same order lead to the same place, whichever commits carry them.

use crate::git::{BlobId, CommitId, RepoPath};

use super::commit_range::CommitRelation;
use super::file_steps::HistoryDirection;
use super::follow::{self, ArrivalKind, FileRegion, FollowOutcome, Reach};
use super::start::HistoryStart;
use super::trail;
use crate::anchoring::files::same_file::{self, FileDestination};
use crate::anchoring::lines::region::LineRegion;
use crate::anchoring::locate::Head;
use crate::anchoring::repository::objects::{ObjectError, Objects};

/// How a place came to a head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FollowedToHead {
    pub followed: FollowOutcome,
    /// Whether its version was compared with the head's and nothing else, which then has nothing more to say.
    pub direct: bool,
}

/// Takes a place from `from`, which may be missing, to a head; `None` if nothing but the two texts is known.
pub(crate) fn follow_region(
    objects: &Objects,
    from: Option<CommitId>,
    head: Head,
    start: &FileRegion,
) -> Result<Option<FollowedToHead>, ObjectError> {
    let Some(to) = head.commit else { return Ok(None) };
    let from = from.filter(|from| objects.commit(*from).is_ok());
    let Some(FollowedToHead { followed, direct }) = to_commit(objects, from, to, start)? else {
        return Ok(None);
    };
    let tree = objects.commit(to)?.tree;
    // What is not committed yet is one more step.
    Ok(Some(match followed {
        FollowOutcome::Arrived(place) if tree != head.tree => {
            let went = same_file::find(objects, tree, head.tree, &place.path, place.blob)?;
            let next = follow::step(objects, tree, head.tree, &place, &went, Reach::Commit)?;
            FollowedToHead {
                followed: next.map_or(FollowOutcome::Lost(place, tree), FollowOutcome::Arrived),
                direct: false,
            }
        }
        followed => FollowedToHead { followed, direct: direct && tree == head.tree },
    }))
}

fn to_commit(
    objects: &Objects,
    from: Option<CommitId>,
    to: CommitId,
    start: &FileRegion,
) -> Result<Option<FollowedToHead>, ObjectError> {
    if from == Some(to) {
        return Ok(Some(FollowedToHead { followed: FollowOutcome::Arrived(start.clone()), direct: false }));
    }
    if let Some(from) = from
        && let Some(reached) = onward(objects, from, to, start)?
    {
        return Ok(Some(reached));
    }
    match (&*objects.history_start(from, to, start)?, from) {
        (HistoryStart::Same(commit, path), _) => {
            onward(objects, *commit, to, &FileRegion { path: path.clone(), ..start.clone() })
        }
        (HistoryStart::Across { counterpart, base }, Some(from)) => {
            across(objects, from, (*counterpart, *base), to, start).map(Some)
        }
        (_, Some(from)) => directly(objects, from, to, start).map(Some),
        (_, None) => Ok(None),
    }
}

/// Follows a place from a commit to one that descends from it, or the other way round; `None` if neither does.
fn onward(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &FileRegion,
) -> Result<Option<FollowedToHead>, ObjectError> {
    if from == to {
        return Ok(Some(FollowedToHead { followed: FollowOutcome::Arrived(start.clone()), direct: false }));
    }
    // A trail is known by where it began alone: what happened before is added after it.
    let fresh = FileRegion { score: 1.0, came: ArrivalKind::Kept, ..start.clone() };
    let Some(followed) = trail::follow(objects, from, to, &fresh)? else { return Ok(None) };
    let after = |place: FileRegion| FileRegion {
        score: place.score.min(start.score),
        came: place.came.max(start.came),
        ..place
    };
    let followed = match followed {
        FollowOutcome::Arrived(place) => FollowOutcome::Arrived(after(place)),
        FollowOutcome::Lost(place, tree) => FollowOutcome::Lost(after(place), tree),
    };
    Ok(Some(FollowedToHead { followed, direct: objects.commit(to)?.parents == [from] }))
}

/// Takes a place to the head's side of a history that was rewritten, and follows it there.
fn across(
    objects: &Objects,
    from: CommitId,
    (counterpart, base): (Option<CommitId>, CommitId),
    to: CommitId,
    start: &FileRegion,
) -> Result<FollowedToHead, ObjectError> {
    let mut lost = None;
    // The common ancestor is a way for lines that are there, and worth it where more than one change led on from it.
    if let Some(place) = cross(objects, from, base, start)?.filter(|place| place.came == ArrivalKind::Kept)
        && changed_often(objects, base, to, &place)?
        && let Some(reached) = onward(objects, base, to, &place)?
    {
        match &reached.followed {
            FollowOutcome::Arrived(_) => return Ok(reached),
            FollowOutcome::Lost(..) => lost = Some(reached),
        }
    }
    let Some(counterpart) = counterpart else {
        return lost.map_or_else(|| directly(objects, from, to, start), Ok);
    };
    let crossed = match cross(objects, from, counterpart, start)? {
        Some(place) => onward(objects, counterpart, to, &place)?,
        None => None,
    };
    let tree = objects.commit(from)?.tree;
    let nowhere = || FollowedToHead { followed: FollowOutcome::Lost(start.clone(), tree), direct: false };
    Ok(crossed.or(lost).unwrap_or_else(nowhere))
}

/// Compares a version with the one of a head.
fn directly(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &FileRegion,
) -> Result<FollowedToHead, ObjectError> {
    let tree = objects.commit(from)?.tree;
    let found = cross(objects, from, to, start)?;
    Ok(FollowedToHead {
        followed: found.map_or(FollowOutcome::Lost(start.clone(), tree), FollowOutcome::Arrived),
        direct: true,
    })
}

/// Takes a place from one commit to another in one comparison.
fn cross(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &FileRegion,
) -> Result<Option<FileRegion>, ObjectError> {
    let (old, new) = (objects.commit(from)?.tree, objects.commit(to)?.tree);
    let went = same_file::find(objects, old, new, &start.path, start.blob)?;
    follow::step(objects, old, new, start, &went, Reach::Commit)
}

/// Whether the file of a place changed more than once between an ancestor and its descendant.
fn changed_often(
    objects: &Objects,
    ancestor: CommitId,
    descendant: CommitId,
    place: &FileRegion,
) -> Result<bool, ObjectError> {
    let range = objects.commit_range(ancestor, descendant)?;
    let Some(range) = &*range else { return Ok(false) };
    Ok(objects.route(range, HistoryDirection::Forward, ancestor, place)?.len() > 1)
}

/// Takes a whole file from `from` to the commit of a head; `None` if history cannot say.
pub(crate) fn follow_file(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    (path, blob): (&RepoPath, BlobId),
) -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
    let along = |ancestor, descendant, direction, file| {
        let range = objects.commit_range(ancestor, descendant)?;
        match &*range {
            Some(range) => follow::file(objects, range, direction, file),
            None => Ok(None),
        }
    };
    let there = |commit: CommitId| -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
        let (old, new) = (objects.commit(from)?.tree, objects.commit(commit)?.tree);
        Ok(match same_file::find(objects, old, new, path, blob)? {
            FileDestination::File(path, blob) => Some((path, blob)),
            FileDestination::Other | FileDestination::Gone => None,
        })
    };
    let file = (path.clone(), blob);
    match *objects.relation(from, to)? {
        Some(CommitRelation::Forward) => return along(from, to, HistoryDirection::Forward, file),
        Some(CommitRelation::Backward) => return along(to, from, HistoryDirection::Backward, file),
        Some(CommitRelation::Apart(_)) | None => {}
    }
    let place =
        FileRegion { path: file.0, blob, region: LineRegion::START, score: 1.0, came: ArrivalKind::Kept };
    let (start, file) = match &*objects.history_start(Some(from), to, &place)? {
        HistoryStart::Same(commit, path) => (*commit, Some((path.clone(), blob))),
        HistoryStart::Across { counterpart: Some(commit), .. }
        | HistoryStart::Across { base: commit, .. } => (*commit, there(*commit)?),
        HistoryStart::Nowhere => return Ok(None),
    };
    match file {
        Some(file) if start == to => Ok(Some(file)),
        Some(file) => along(start, to, HistoryDirection::Forward, file),
        None => Ok(None),
    }
}
