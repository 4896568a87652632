//! Takes a place from its own commit to a head, over whatever history lies between the two.
//!
//! Where the way begins on a rewritten branch is `begin`'s to say, and what one stretch of history does to a place is
//! `trail`'s. The same versions of a file in the same order lead to the same place, whichever commits carry them.

use crate::git::{BlobId, CommitId, RepoPath};

use super::begin::Begin;
use super::files::{self, Went};
use super::follow::{self, Came, Followed, Place, Reach};
use super::history::Way;
use super::locate::Head;
use super::objects::{ObjectError, Objects};
use super::route::Direction;
use super::trail;

/// How a place came to a head.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Journey {
    pub followed: Followed,
    /// Whether its version was compared with the head's and nothing else, which then has nothing more to say.
    pub direct: bool,
}

/// Takes a place from `from`, which may be missing, to a head; `None` if nothing but the two texts is known.
pub(super) fn to_head(
    objects: &Objects,
    from: Option<CommitId>,
    head: Head,
    start: &Place,
) -> Result<Option<Journey>, ObjectError> {
    let Some(to) = head.commit else { return Ok(None) };
    let from = from.filter(|from| objects.commit(*from).is_ok());
    let Some(Journey { followed, direct }) = to_commit(objects, from, to, start)? else { return Ok(None) };
    let tree = objects.commit(to)?.tree;
    // What is not committed yet is one more step.
    Ok(Some(match followed {
        Followed::Arrived(place) if tree != head.tree => {
            let went = files::find(objects, tree, head.tree, &place.path, place.blob)?;
            let next = follow::step(objects, tree, head.tree, &place, &went, Reach::Commit)?;
            Journey { followed: next.map_or(Followed::Lost(place, tree), Followed::Arrived), direct: false }
        }
        followed => Journey { followed, direct: direct && tree == head.tree },
    }))
}

fn to_commit(
    objects: &Objects,
    from: Option<CommitId>,
    to: CommitId,
    start: &Place,
) -> Result<Option<Journey>, ObjectError> {
    if from == Some(to) {
        return Ok(Some(Journey { followed: Followed::Arrived(start.clone()), direct: false }));
    }
    if let Some(from) = from
        && let Some(journey) = onward(objects, from, to, start)?
    {
        return Ok(Some(journey));
    }
    match (&*objects.begin(from, to, start)?, from) {
        (Begin::Same(commit, path), _) => {
            onward(objects, *commit, to, &Place { path: path.clone(), ..start.clone() })
        }
        (Begin::Across { counterpart, base }, Some(from)) => {
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
    start: &Place,
) -> Result<Option<Journey>, ObjectError> {
    if from == to {
        return Ok(Some(Journey { followed: Followed::Arrived(start.clone()), direct: false }));
    }
    // A trail is known by where it began alone: what happened before is added behind it.
    let fresh = Place { score: 1.0, came: Came::Kept, ..start.clone() };
    let Some(followed) = trail::follow(objects, from, to, &fresh)? else { return Ok(None) };
    let after = |place: Place| Place {
        score: place.score.min(start.score),
        came: place.came.max(start.came),
        ..place
    };
    let followed = match followed {
        Followed::Arrived(place) => Followed::Arrived(after(place)),
        Followed::Lost(place, tree) => Followed::Lost(after(place), tree),
    };
    Ok(Some(Journey { followed, direct: objects.commit(to)?.parents == [from] }))
}

/// Takes a place to the head's side of a history that was rewritten, and follows it there.
fn across(
    objects: &Objects,
    from: CommitId,
    (counterpart, base): (Option<CommitId>, CommitId),
    to: CommitId,
    start: &Place,
) -> Result<Journey, ObjectError> {
    let mut lost = None;
    // The common ancestor is a way for lines that stand there, and worth it where more than one change led on from it.
    if let Some(place) = cross(objects, from, base, start)?.filter(|place| place.came == Came::Kept)
        && changed_often(objects, base, to, &place)?
        && let Some(journey) = onward(objects, base, to, &place)?
    {
        match &journey.followed {
            Followed::Arrived(_) => return Ok(journey),
            Followed::Lost(..) => lost = Some(journey),
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
    let nowhere = || Journey { followed: Followed::Lost(start.clone(), tree), direct: false };
    Ok(crossed.or(lost).unwrap_or_else(nowhere))
}

/// Compares a version with the one of a head.
fn directly(objects: &Objects, from: CommitId, to: CommitId, start: &Place) -> Result<Journey, ObjectError> {
    let tree = objects.commit(from)?.tree;
    let found = cross(objects, from, to, start)?;
    Ok(Journey {
        followed: found.map_or(Followed::Lost(start.clone(), tree), Followed::Arrived),
        direct: true,
    })
}

/// Takes a place from one commit to another in one comparison.
fn cross(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    start: &Place,
) -> Result<Option<Place>, ObjectError> {
    let (old, new) = (objects.commit(from)?.tree, objects.commit(to)?.tree);
    let went = files::find(objects, old, new, &start.path, start.blob)?;
    follow::step(objects, old, new, start, &went, Reach::Commit)
}

/// Whether the file of a place changed more than once between an ancestor and its descendant.
fn changed_often(
    objects: &Objects,
    ancestor: CommitId,
    descendant: CommitId,
    place: &Place,
) -> Result<bool, ObjectError> {
    let stretch = objects.stretch(ancestor, descendant)?;
    let Some(stretch) = &*stretch else { return Ok(false) };
    Ok(objects.route(stretch, Direction::Forward, ancestor, place)?.len() > 1)
}

/// Takes a whole file from `from` to the commit of a head; `None` if history cannot say.
pub(super) fn file_to_head(
    objects: &Objects,
    from: CommitId,
    to: CommitId,
    (path, blob): (&RepoPath, BlobId),
) -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
    let along = |ancestor, descendant, direction, file| {
        let stretch = objects.stretch(ancestor, descendant)?;
        match &*stretch {
            Some(stretch) => follow::file(objects, stretch, direction, file),
            None => Ok(None),
        }
    };
    let there = |commit: CommitId| -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
        let (old, new) = (objects.commit(from)?.tree, objects.commit(commit)?.tree);
        Ok(match files::find(objects, old, new, path, blob)? {
            Went::File(path, blob) => Some((path, blob)),
            Went::Other | Went::Gone => None,
        })
    };
    let file = (path.clone(), blob);
    match *objects.way(from, to)? {
        Some(Way::Forward) => return along(from, to, Direction::Forward, file),
        Some(Way::Backward) => return along(to, from, Direction::Backward, file),
        Some(Way::Apart(_)) | None => {}
    }
    let place =
        Place { path: file.0, blob, region: super::region::Region::START, score: 1.0, came: Came::Kept };
    let (begin, file) = match &*objects.begin(Some(from), to, &place)? {
        Begin::Same(commit, path) => (*commit, Some((path.clone(), blob))),
        Begin::Across { counterpart: Some(commit), .. } | Begin::Across { base: commit, .. } => {
            (*commit, there(*commit)?)
        }
        Begin::Nowhere => return Ok(None),
    };
    match file {
        Some(file) if begin == to => Ok(Some(file)),
        Some(file) => along(begin, to, Direction::Forward, file),
        None => Ok(None),
    }
}
