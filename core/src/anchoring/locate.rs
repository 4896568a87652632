//! Locates anchors in a head: the order of the steps, and the states they end in.

use std::num::NonZeroUsize;

use crate::git::{BlobId, CommitId, TreeId};
use crate::record::{Anchor, Side};

use super::bypass::{MAX_SEARCHED_BYTES, Search, by_name, is_binary};
use super::files::{self, Went};
use super::follow::{self, Came, Followed, Place};
use super::history;
use super::objects::{Entry, ObjectError, Objects};
use super::position::{Confidence, Orphaning, Outdating, Position, Shift, Site};
use super::region::Region;
use super::sameness::{self, Sameness};
use super::solid;

/// The version of the engine; stored with its results, raised whenever an answer can change.
pub const ENGINE_VERSION: u32 = 1;

/// How well a direct comparison must fit to count where history lost the lines.
const AGAINST_HISTORY: f64 = 0.65;

/// What positions are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its files.
    pub tree: TreeId,
    /// The commit whose tree it is, or upon which it is being made; `None` without history.
    pub commit: Option<CommitId>,
}

/// Why one anchor could not be located; others are not affected.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LocateError {
    /// The head or what leads to it could not be read.
    #[error("the head could not be read")]
    Read {
        /// What was missing.
        #[from]
        source: ObjectError,
    },
    /// Comments on deleted lines are located through their base.
    #[error("the anchor is on a deleted line")]
    OldSide,
}

/// Locates anchors in a head, each on its own; results stand in the order of the anchors.
///
/// The number of threads changes nothing but the time it takes.
pub fn locate(
    repo: &gix::Repository,
    anchors: &[Anchor],
    head: Head,
    threads: NonZeroUsize,
) -> Vec<Result<Position, LocateError>> {
    let mut order: Vec<usize> = (0..anchors.len()).collect();
    // Anchors of one file stay together, so that it is compared once.
    order.sort_by(|a, b| (&anchors[*a].path, a).cmp(&(&anchors[*b].path, b)));
    let threads = threads.get().min(anchors.len().div_ceil(64)).max(1);
    let mut results: Vec<(usize, Result<Position, LocateError>)> = if threads == 1 {
        some(repo, anchors, &order, head)
    } else {
        let shared = repo.clone().into_sync();
        let share = order.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let workers: Vec<_> = order
                .chunks(share)
                .map(|part| scope.spawn(|| some(&shared.to_thread_local(), anchors, part, head)))
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn some(
    repo: &gix::Repository,
    anchors: &[Anchor],
    part: &[usize],
    head: Head,
) -> Vec<(usize, Result<Position, LocateError>)> {
    let objects = Objects::new(repo);
    part.iter().map(|index| (*index, locate_one(&objects, &anchors[*index], head))).collect()
}

fn locate_one(objects: &Objects, anchor: &Anchor, head: Head) -> Result<Position, LocateError> {
    if matches!(anchor.side, Side::Old(_)) {
        return Err(LocateError::OldSide);
    }
    let here = objects.entry(head.tree, anchor.path.as_bytes())?;
    if let (Some(Entry::File(found)), Some(blob)) = (here, anchor.blob)
        && found == blob
    {
        let site = Site::new(anchor.path.clone(), anchor.range);
        return Ok(Position::Anchored { site, renamed: false });
    }
    let Some(blob) = anchor.blob else {
        return Ok(Position::Orphaned { why: Orphaning::FileDeleted, candidates: Vec::new() });
    };
    let old_tree = match anchor.commit {
        Some(commit) => objects.commit(commit).ok().map(|commit| commit.tree),
        None => None,
    };
    let way = match (anchor.commit, head.commit, old_tree) {
        // What lies at the path is compared first; history is only asked where that fails.
        (Some(from), Some(to), Some(_)) if !matches!(here, Some(Entry::File(_))) => history::way(objects, from, to)?,
        _ => None,
    };
    let went = match (here, old_tree, &way) {
        (Some(Entry::File(found)), ..) => Went::File(anchor.path.clone(), found),
        (Some(Entry::Other), _, Some(_)) | (Some(Entry::Other), None, None) => Went::Other,
        (None, _, Some(_)) | (None, None, None) => Went::Gone,
        (_, Some(tree), None) => files::find(objects, tree, head.tree, &anchor.path, blob)?,
    };
    let Some(range) = anchor.range else { return Ok(whole_file(anchor, &went)) };
    let text = objects.text(blob)?;
    let region = Region::from_range(range);
    if !region.fits(&text) {
        return Ok(Position::Orphaned { why: Orphaning::Impossible, candidates: Vec::new() });
    }
    let mut kept = None;
    if let Went::File(path, found) = &went {
        let map = objects.map(blob, *found)?;
        let new = objects.text(*found)?;
        let lines = map.map_range(region.first..region.last + 1);
        let searched = by_name(path) == Search::Full && new.bytes().len() <= MAX_SEARCHED_BYTES;
        if let Some(lines) = lines {
            let solid = !searched || solid::is_solid(&text, &new, &map, region.first..region.last + 1);
            let place = Region { first: lines.start, last: lines.end - 1, columns: region.columns };
            let anchored = same_text(objects, anchor, blob, path, *found, &place, None)?;
            if solid || head.commit.is_none() {
                return Ok(anchored);
            }
            kept = Some(anchored);
        } else if !searched {
            return Ok(Position::Orphaned { why: Orphaning::Bypassed, candidates: Vec::new() });
        } else if is_binary(new.bytes()) {
            return Ok(Position::Orphaned { why: Orphaning::NotText, candidates: Vec::new() });
        }
    }
    let place = Place { path: anchor.path.clone(), blob, region, score: 1.0, came: Came::Kept };
    let way = match (way, anchor.commit, head.commit, old_tree) {
        (None, Some(from), Some(to), Some(_)) if matches!(here, Some(Entry::File(_))) => {
            history::way(objects, from, to)?
        }
        (way, ..) => way,
    };
    if let Some(anchored) = kept {
        // The diff alone is not to be trusted here: history decides, where there is one.
        let followed = match &way {
            Some(way) => Some(follow::follow(objects, way, &place)?),
            None => None,
        };
        return match followed {
            Some(Followed::Arrived(found)) => {
                let score = (found.came != Came::Kept).then_some(found.score);
                let there = same_text(objects, anchor, blob, &found.path, found.blob, &found.region, score)?;
                Ok(if there.site() == anchored.site() { anchored } else { there })
            }
            _ => Ok(anchored),
        };
    }
    let found = match (&way, old_tree) {
        (Some(way), Some(old_tree)) => match follow::follow(objects, way, &place)? {
            Followed::Arrived(found) => Some(found),
            Followed::Lost(last, tree) => {
                let direct = leap(objects, old_tree, head.tree, &place)?;
                let rest = if tree == old_tree { None } else { leap(objects, tree, head.tree, &last)? };
                match (direct, rest) {
                    (Some(direct), Some(rest)) if rest.score > direct.score => Some(rest),
                    (direct, rest) => direct.or(rest),
                }
            }
        },
        (_, Some(old_tree)) => follow::step(objects, old_tree, head.tree, &place, &went)?,
        (_, None) => follow::step(objects, head.tree, head.tree, &place, &went)?,
    };
    match found {
        Some(found) => {
            let Place { path, blob: now, region, score, came } = &found;
            let score = (*came != Came::Kept).then_some(*score);
            Ok(same_text(objects, anchor, blob, path, *now, region, score)?)
        }
        None => {
            let why = match went {
                Went::File(..) => Orphaning::Deleted,
                Went::Other => Orphaning::NotText,
                Went::Gone => Orphaning::FileDeleted,
            };
            Ok(Position::Orphaned { why, candidates: Vec::new() })
        }
    }
}

/// Compares with the head what history lost on the way there; it must look very much like it.
fn leap(objects: &Objects, tree: TreeId, head: TreeId, place: &Place) -> Result<Option<Place>, ObjectError> {
    let went = files::find(objects, tree, head, &place.path, place.blob)?;
    let found = follow::step(objects, tree, head, place, &went)?;
    Ok(found.filter(|found| found.score >= AGAINST_HISTORY))
}

fn whole_file(anchor: &Anchor, went: &Went) -> Position {
    match went {
        Went::File(path, _) => {
            Position::Anchored { site: Site::new(path.clone(), None), renamed: *path != anchor.path }
        }
        Went::Other => Position::Orphaned { why: Orphaning::NotText, candidates: Vec::new() },
        Went::Gone => Position::Orphaned { why: Orphaning::FileDeleted, candidates: Vec::new() },
    }
}

/// The state follows from the text, not from the step that found it.
fn same_text(
    objects: &Objects,
    anchor: &Anchor,
    was: BlobId,
    path: &crate::git::RepoPath,
    is: BlobId,
    region: &Region,
    score: Option<f64>,
) -> Result<Position, ObjectError> {
    let (old, new) = (objects.text(was)?, objects.text(is)?);
    let range = anchor.range.map(Region::from_range).unwrap_or(*region);
    let site = Site::new(path.clone(), Some(region.to_range(&new)));
    let renamed = *path != anchor.path;
    let sameness = sameness::sameness(&old, &range, &new, region);
    let confidence = Confidence::from_score(score.unwrap_or(1.0));
    let candidates = Vec::new();
    Ok(match (sameness, score) {
        (Sameness::Exact, None) => Position::Anchored { site, renamed },
        (Sameness::Exact, Some(_)) => {
            let why = if renamed { Shift::MovedAcross } else { Shift::MovedWithin };
            Position::Shifted { site, why, confidence, candidates }
        }
        (Sameness::Normal, _) => Position::Shifted { site, why: Shift::Reformatted, confidence, candidates },
        (Sameness::Grown, _) => Position::Shifted { site, why: Shift::Grown, confidence, candidates },
        (Sameness::Changed, _) => {
            Position::Outdated { guess: site, why: Outdating::ChangedInPlace, confidence, candidates }
        }
    })
}
