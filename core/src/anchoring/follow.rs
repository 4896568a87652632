//! Follows a region over the commits that changed its file, step by step.
//!
//! Renames and moves are judged where they happened. What one comparison does is `trace`'s work,
//! and which commits lie between is `history`'s.

use crate::edit::LineMap;
use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::bypass::{self, Search, is_binary};
use super::files::{self, Went};
use super::history::Stretch;
use super::moved_run;
use super::objects::{Entry, ObjectError, Objects};
use super::region::Region;
use super::renames;
use super::route::Direction;
use super::trace::{self, Traced};
use super::wanted::Wanted;
use super::within_hunk;

/// A region that went to more files than this on its way is given up.
const MAX_FILES_ON_THE_WAY: usize = 32;

/// A region that is changed more often than this on its way is given up.
const MAX_STEPS: usize = 5_000;

/// Other files of one commit that are searched for lines that left theirs.
const MAX_OTHER_FILES: usize = 200;

/// Other files that are searched where all of history is one change.
///
/// Lines that history lost on the way are seldom elsewhere: copied by one commit, and deleted here by a later one.
const MAX_LEAP_FILES: usize = 32;

/// A trace inside the file that scores less is compared with other files.
const LOOK_ELSEWHERE: f64 = 0.75;

/// What scores less in another file is no place: a common line can be found in any file.
const ELSEWHERE_FLOOR: f64 = 0.72;

/// What a region's words must weigh for it to be known in a file that got little else of its own.
const ELSEWHERE_WEIGHT: f64 = 2.0;

/// What scores less in such a file is no place, if the region's words weigh less.
const LIGHT_FLOOR: f64 = 0.82;

/// How much better another file must fit than the region's own.
const ELSEWHERE_MARGIN: f64 = 0.1;

/// The share of the text that left a file from which another file counts as a part of it.
///
/// On real splits it is 0.3 to 0.7; of two files that only share idioms it is under 0.1.
const SPLIT_SHARE: f64 = 0.3;

/// A region in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub path: RepoPath,
    pub blob: BlobId,
    pub region: Region,
    /// The lowest score of a step on the way here.
    pub score: f64,
    /// How it came here.
    pub came: Came,
}

impl Place {
    /// The same place where history lost what is looked for: what a direct comparison kept there may be a twin.
    pub fn against_history(self) -> Self {
        match self.came {
            Came::Kept => Self { score: self.score.min(trace::CHOSEN), came: Came::Twin, ..self },
            _ => self,
        }
    }
}

/// How a region came to a place, over all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Came {
    /// Every diff on the way kept it.
    Kept,
    /// It was changed, where it stood.
    InPlace,
    /// It moved, but never left its file.
    Moved,
    /// It left its file for another one.
    Across,
    /// It may be a twin: a diff on the way chose between the two, or history lost it.
    Twin,
}

/// How following a place ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Followed {
    /// It is here.
    Arrived(Place),
    /// It was last seen here, in this tree.
    Lost(Place, TreeId),
}

/// Which other files of a change a place is looked for in; those with the nearest paths come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In as many as one commit may change.
    Commit,
    /// In a few: between two far ends almost every file changed.
    Leap,
}

impl Reach {
    fn files(self) -> usize {
        match self {
            Self::Commit => MAX_OTHER_FILES,
            Self::Leap => MAX_LEAP_FILES,
        }
    }
}

impl From<trace::Way> for Came {
    fn from(way: trace::Way) -> Self {
        match way {
            trace::Way::Kept => Self::Kept,
            trace::Way::Chosen => Self::Twin,
            trace::Way::InPlace => Self::InPlace,
            trace::Way::Moved => Self::Moved,
        }
    }
}

/// What following a place took on one stretch; both are bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    /// How often its file changed.
    pub steps: usize,
    /// How often it left its file for another one.
    pub files: usize,
}

impl Pace {
    /// Whether so many changes more cannot reach a bound.
    pub fn has_room(self, changes: usize) -> bool {
        self.steps + changes <= MAX_STEPS && self.files + changes < MAX_FILES_ON_THE_WAY
    }
}

/// Follows a place along a stretch; also says what that took.
pub(super) fn follow(
    objects: &Objects,
    stretch: &Stretch,
    direction: Direction,
    place: &Place,
) -> Result<(Followed, Pace), ObjectError> {
    let mut pace = Pace::default();
    Ok((along(objects, stretch, direction, place, &mut pace)?, pace))
}

/// Follows a place from the only parent of `commit` to it.
pub(super) fn onward(
    objects: &Objects,
    commit: CommitId,
    place: Place,
    pace: &mut Pace,
) -> Result<Followed, ObjectError> {
    let of = objects.commit(commit)?;
    let Some(parent) = of.parents.first() else { return Ok(Followed::Arrived(place)) };
    let (old, new) = (objects.commit(*parent)?.tree, of.tree);
    if objects.entry(new, place.path.as_bytes())? == Some(Entry::File(place.blob)) {
        return Ok(Followed::Arrived(place));
    }
    let went = match files::find(objects, old, new, &place.path, place.blob)? {
        Went::Other => Went::Gone,
        went => went,
    };
    pace.steps += 1;
    let Some(next) = step(objects, old, new, &place, &went, Reach::Commit)? else {
        return Ok(Followed::Lost(place, old));
    };
    pace.files += usize::from(!is_on_route(&next, &went));
    Ok(Followed::Arrived(next))
}

/// Whether a place went where its file went.
fn is_on_route(place: &Place, went: &Went) -> bool {
    matches!(went, Went::File(path, _) if *path == place.path)
}

/// Follows a whole file along a stretch; `None` if it is lost on it.
pub(super) fn file(
    objects: &Objects,
    stretch: &Stretch,
    direction: Direction,
    (path, blob): (RepoPath, BlobId),
) -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
    let place = Place { path, blob, region: Region::START, score: 1.0, came: Came::Kept };
    let start = match direction {
        Direction::Forward => stretch.ancestor,
        Direction::Backward => stretch.descendant,
    };
    let route = objects.route(stretch, direction, start, &place)?;
    Ok(match route.last().map(|change| &change.went) {
        Some(Went::File(path, blob)) => Some((path.clone(), *blob)),
        Some(Went::Other | Went::Gone) => None,
        None => Some((place.path, place.blob)),
    })
}

/// Carries a place across one pair of trees.
pub(super) fn step(
    objects: &Objects,
    old: TreeId,
    new: TreeId,
    place: &Place,
    went: &Went,
    reach: Reach,
) -> Result<Option<Place>, ObjectError> {
    let inside = match went {
        Went::File(path, blob) if *blob == place.blob => {
            return Ok(Some(Place { path: path.clone(), ..place.clone() }));
        }
        Went::File(path, blob) => {
            let (was, is) = (objects.text(place.blob)?, objects.text(*blob)?);
            let traced = match bypass::search_in(objects, new, path, &is)? {
                Search::Full if !is_binary(is.bytes()) => {
                    trace::trace(&*objects.comparison(place.blob, *blob)?, &place.region)
                }
                Search::Hunk if !is_binary(is.bytes()) => {
                    within_hunk::trace(&was, &is, &*objects.map(place.blob, *blob)?, &place.region)
                }
                _ => kept(&*objects.map(place.blob, *blob)?, &place.region),
            };
            traced.map(|traced| arrived(place, path, *blob, &traced, traced.way.into()))
        }
        Went::Other | Went::Gone => None,
    };
    if inside.as_ref().is_some_and(|found| found.1 >= LOOK_ELSEWHERE) {
        return Ok(inside.map(|found| found.0));
    }
    let outside = elsewhere(objects, (old, new), place, went, inside.is_none(), reach)?;
    let floor =
        inside.as_ref().map_or(ELSEWHERE_FLOOR, |found| ELSEWHERE_FLOOR.max(found.1 + ELSEWHERE_MARGIN));
    Ok(match outside {
        Some(found) if found.1 >= floor => Some(found.0),
        _ => inside.map(|found| found.0),
    })
}

/// Carries a region across a file that is never searched.
fn kept(map: &LineMap, region: &Region) -> Option<Traced> {
    let lines = map.map_range(region.first..region.last + 1)?;
    let region = Region { first: lines.start, last: lines.end - 1, columns: region.columns };
    Some(Traced { region, score: 1.0, way: trace::Way::Kept })
}

fn arrived(place: &Place, path: &RepoPath, blob: BlobId, traced: &Traced, came: Came) -> (Place, f64) {
    let score = place.score.min(traced.score);
    let came = place.came.max(came);
    (Place { path: path.clone(), blob, region: traced.region, score, came }, traced.score)
}

fn search_allowed(
    objects: &Objects,
    tree: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<bool, ObjectError> {
    let text = objects.text(blob)?;
    Ok(!is_binary(text.bytes()) && bypass::search_in(objects, tree, path, &text)? == Search::Full)
}

/// Looks for a region among the lines that came to other files.
///
/// A file that got much of what left the region's own is its other half: if the region is `lost`
/// in the one, the two are compared like versions of one file, lines around it and all.
fn elsewhere(
    objects: &Objects,
    (old, new): (TreeId, TreeId),
    place: &Place,
    went: &Went,
    lost: bool,
    reach: Reach,
) -> Result<Option<(Place, f64)>, ObjectError> {
    let (stays, now) = match went {
        Went::File(path, blob) => (Some(path), Some(*blob)),
        Went::Other | Went::Gone => (None, None),
    };
    let others = objects.nearest(old, new, &place.path)?;
    let others = others.iter().filter(|(path, ..)| Some(path) != stays).take(reach.files());
    let wanted = Wanted::of(&*objects.text(place.blob)?, &place.region);
    let mut best: Option<(Place, f64)> = None;
    for (path, was, is) in others {
        let (was, is) = (*was, *is);
        // A file that says little of it as a whole is not even compared with what it was before.
        let is_compared = was.is_some_and(|was| objects.has_map(was, is));
        if !is_compared && !wanted.is_in(&*objects.said((is, None))?) {
            continue;
        }
        // What a file had already under another name did not come to it.
        let was = match was {
            Some(was) => Some(was),
            None => renames::origin(objects, (old, new), &(path.clone(), is))?,
        };
        let can_hold = was.is_none() || wanted.is_in(&*objects.said((is, was))?);
        if !can_hold || !search_allowed(objects, new, path, is)? {
            continue;
        }
        let came = objects.crossing((place.blob, now), (is, was))?;
        let is_half = lost && came.exchanged() >= SPLIT_SHARE;
        let pair = if is_half { objects.comparison(place.blob, is)? } else { came.clone() };
        let is_fresh = |traced: &Traced| came.is_fresh(traced.region.first);
        let traced = moved_run::find(&came, &place.region)
            .or_else(|| trace::trace(&pair, &place.region).filter(is_fresh));
        let Some(traced) = traced else { continue };
        // Lines that say little stand in many files: only where much else came along they are the same ones.
        let weight: f64 = (place.region.first..=place.region.last).map(|line| came.weight(line)).sum();
        let floor = if is_half || weight >= ELSEWHERE_WEIGHT { ELSEWHERE_FLOOR } else { LIGHT_FLOOR };
        if traced.score < floor {
            continue;
        }
        if best.as_ref().is_none_or(|(_, score)| traced.score > *score) {
            best = Some(arrived(place, path, is, &traced, Came::Across));
        }
    }
    Ok(best)
}

fn along(
    objects: &Objects,
    stretch: &Stretch,
    direction: Direction,
    place: &Place,
    pace: &mut Pace,
) -> Result<Followed, ObjectError> {
    let (mut at, end) = match direction {
        Direction::Forward => (stretch.ancestor, stretch.descendant),
        Direction::Backward => (stretch.descendant, stretch.ancestor),
    };
    let mut place = place.clone();
    'file: while pace.files < MAX_FILES_ON_THE_WAY {
        let route = objects.route(stretch, direction, at, &place)?;
        for change in &*route {
            pace.steps += 1;
            let next = match pace.steps {
                ..=MAX_STEPS => step(objects, change.old, change.new, &place, &change.went, Reach::Commit)?,
                _ => None,
            };
            let Some(next) = next else { return Ok(Followed::Lost(place, change.old)) };
            place = next;
            at = change.commit;
            if !is_on_route(&place, &change.went) {
                pace.files += 1;
                if at == end {
                    return Ok(Followed::Arrived(place));
                }
                continue 'file;
            }
        }
        return Ok(Followed::Arrived(place));
    }
    let tree = objects.commit(at)?.tree;
    Ok(Followed::Lost(place, tree))
}
