//! Follows a region over the commits that changed its file, step by step.
//!
//! Renames and moves are judged where they happened. What one comparison does is `trace`'s work,
//! and which commits lie between is `commit_range`'s.

use crate::edit::LineMap;
use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::commit_range::CommitRange;
use super::file_steps::HistoryDirection;
use crate::anchoring::files::bypass::{self, SearchScope, is_binary};
use crate::anchoring::files::renames;
use crate::anchoring::files::same_file::{self, FileDestination};
use crate::anchoring::lines::region::LineRegion;
use crate::anchoring::lines::word_filter::WordFilter;
use crate::anchoring::matching::moved_run;
use crate::anchoring::matching::trace::{self, Traced};
use crate::anchoring::matching::within_hunk;
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

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

/// What scores less in another file is not a place: a common line can be found in any file.
const ELSEWHERE_FLOOR: f64 = 0.72;

/// What a region's words must weigh for it to be known in a file that got little else of its own.
const ELSEWHERE_WEIGHT: f64 = 2.0;

/// What scores less in such a file is not a place, if the region's words weigh less.
const LIGHT_FLOOR: f64 = 0.82;

/// How much better another file must fit than the region's own.
const ELSEWHERE_MARGIN: f64 = 0.1;

/// The share of the text that left a file from which another file counts as a part of it.
///
/// On real splits it is 0.3 to 0.7; of two files that only share idioms it is under 0.1.
const SPLIT_SHARE: f64 = 0.3;

/// A region in a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileRegion {
    pub path: RepoPath,
    pub blob: BlobId,
    pub region: LineRegion,
    /// The lowest score of a step on the way here.
    pub score: f64,
    /// How it came here.
    pub came: ArrivalKind,
}

impl FileRegion {
    /// The same place where history lost what is looked for: what a direct comparison kept there may be a twin.
    pub fn against_history(self) -> Self {
        match self.came {
            ArrivalKind::Kept => self.or_a_twin(),
            _ => self,
        }
    }

    /// The same place, if nothing distinguishes it from another one.
    fn or_a_twin(self) -> Self {
        Self { score: self.score.min(trace::CHOSEN), came: ArrivalKind::Twin, ..self }
    }
}

/// How a region came to a place, over all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ArrivalKind {
    /// Every diff on the way kept it.
    Kept,
    /// It was changed, where it was.
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
pub(crate) enum FollowOutcome {
    /// It is here.
    Arrived(FileRegion),
    /// It was last seen here, in this tree.
    Lost(FileRegion, TreeId),
}

/// Which other files of a change a place is looked for in; those with the nearest paths come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
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

impl From<trace::TraceKind> for ArrivalKind {
    fn from(kind: trace::TraceKind) -> Self {
        match kind {
            trace::TraceKind::Kept => Self::Kept,
            trace::TraceKind::Chosen => Self::Twin,
            trace::TraceKind::InPlace => Self::InPlace,
            trace::TraceKind::Moved => Self::Moved,
        }
    }
}

/// What following a place took on one range of commits; both are bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowCost {
    /// How often its file changed.
    pub steps: usize,
    /// How often it left its file for another one.
    pub files: usize,
}

impl FollowCost {
    /// Whether this many more changes stay within the bounds.
    pub fn has_room(self, changes: usize) -> bool {
        self.steps + changes <= MAX_STEPS && self.files + changes < MAX_FILES_ON_THE_WAY
    }
}

/// Follows a place along a range of commits; also says what that took.
pub(crate) fn follow(
    objects: &Objects,
    range: &CommitRange,
    direction: HistoryDirection,
    place: &FileRegion,
) -> Result<(FollowOutcome, FollowCost), ObjectError> {
    let mut pace = FollowCost::default();
    Ok((along(objects, range, direction, place, &mut pace)?, pace))
}

/// Follows a place from the only parent of `commit` to it.
pub(crate) fn onward(
    objects: &Objects,
    commit: CommitId,
    place: FileRegion,
    pace: &mut FollowCost,
) -> Result<FollowOutcome, ObjectError> {
    let of = objects.commit(commit)?;
    let Some(parent) = of.parents.first() else { return Ok(FollowOutcome::Arrived(place)) };
    let (old, new) = (objects.commit(*parent)?.tree, of.tree);
    if objects.entry(new, place.path.as_bytes())? == Some(PathEntry::File(place.blob)) {
        return Ok(FollowOutcome::Arrived(place));
    }
    let went = match same_file::find(objects, old, new, &place.path, place.blob)? {
        FileDestination::Other => FileDestination::Gone,
        went => went,
    };
    pace.steps += 1;
    let Some(next) = step(objects, old, new, &place, &went, Reach::Commit)? else {
        return Ok(FollowOutcome::Lost(place, old));
    };
    pace.files += usize::from(!is_on_route(&next, &went));
    Ok(FollowOutcome::Arrived(next))
}

/// Whether a place went where its file went.
fn is_on_route(place: &FileRegion, went: &FileDestination) -> bool {
    matches!(went, FileDestination::File(path, _) if *path == place.path)
}

/// Follows a whole file along a range of commits; `None` if it is lost on it.
pub(crate) fn file(
    objects: &Objects,
    range: &CommitRange,
    direction: HistoryDirection,
    (path, blob): (RepoPath, BlobId),
) -> Result<Option<(RepoPath, BlobId)>, ObjectError> {
    let place = FileRegion { path, blob, region: LineRegion::START, score: 1.0, came: ArrivalKind::Kept };
    let start = match direction {
        HistoryDirection::Forward => range.ancestor,
        HistoryDirection::Backward => range.descendant,
    };
    let route = objects.route(range, direction, start, &place)?;
    Ok(match route.last().map(|change| &change.went) {
        Some(FileDestination::File(path, blob)) => Some((path.clone(), *blob)),
        Some(FileDestination::Other | FileDestination::Gone) => None,
        None => Some((place.path, place.blob)),
    })
}

/// Carries a place across one pair of trees.
pub(crate) fn step(
    objects: &Objects,
    old: TreeId,
    new: TreeId,
    place: &FileRegion,
    went: &FileDestination,
    reach: Reach,
) -> Result<Option<FileRegion>, ObjectError> {
    let inside = match went {
        FileDestination::File(path, blob) if *blob == place.blob => {
            let next = FileRegion { path: path.clone(), ..place.clone() };
            let is_copied = *path != place.path
                && !renames::twins(objects, (old, new), &place.path, &(path.clone(), *blob))?.is_empty();
            return Ok(Some(if is_copied { next.or_a_twin() } else { next }));
        }
        FileDestination::File(path, blob) => {
            let (was, is) = (objects.text(place.blob)?, objects.text(*blob)?);
            let traced = match bypass::search_in(objects, new, path, &is)? {
                SearchScope::Full if !is_binary(is.bytes()) => {
                    trace::trace(&*objects.comparison(place.blob, *blob)?, &place.region)
                }
                SearchScope::Hunk if !is_binary(is.bytes()) => {
                    within_hunk::trace(&was, &is, &*objects.map(place.blob, *blob)?, &place.region)
                }
                _ => kept(&*objects.map(place.blob, *blob)?, &place.region),
            };
            traced.map(|traced| arrived(place, path, *blob, &traced, traced.kind.into()))
        }
        FileDestination::Other | FileDestination::Gone => None,
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
fn kept(map: &LineMap, region: &LineRegion) -> Option<Traced> {
    let lines = map.map_range(region.first..region.last + 1)?;
    let region = LineRegion { first: lines.start, last: lines.end - 1, columns: region.columns };
    Some(Traced { region, score: 1.0, kind: trace::TraceKind::Kept })
}

fn arrived(
    place: &FileRegion,
    path: &RepoPath,
    blob: BlobId,
    traced: &Traced,
    came: ArrivalKind,
) -> (FileRegion, f64) {
    let score = place.score.min(traced.score);
    let came = place.came.max(came);
    (FileRegion { path: path.clone(), blob, region: traced.region, score, came }, traced.score)
}

fn search_allowed(
    objects: &Objects,
    tree: TreeId,
    path: &RepoPath,
    blob: BlobId,
) -> Result<bool, ObjectError> {
    let text = objects.text(blob)?;
    Ok(!is_binary(text.bytes()) && bypass::search_in(objects, tree, path, &text)? == SearchScope::Full)
}

/// Looks for a region among the lines that came to other files.
///
/// A file that got much of what left the region's own is its other half: if the region is `lost`
/// in the one, the two are compared like versions of one file, lines around it and all.
fn elsewhere(
    objects: &Objects,
    (old, new): (TreeId, TreeId),
    place: &FileRegion,
    went: &FileDestination,
    lost: bool,
    reach: Reach,
) -> Result<Option<(FileRegion, f64)>, ObjectError> {
    let (stays, now) = match went {
        FileDestination::File(path, blob) => (Some(path), Some(*blob)),
        FileDestination::Other | FileDestination::Gone => (None, None),
    };
    let others = objects.nearest(old, new, &place.path)?;
    let others = others.iter().filter(|(path, ..)| Some(path) != stays).take(reach.files());
    let wanted = WordFilter::of(&*objects.text(place.blob)?, &place.region);
    let mut best: Option<(FileRegion, f64)> = None;
    for (path, was, is) in others {
        let (was, is) = (*was, *is);
        // A file that says little of it as a whole is not even compared with what it was before.
        let is_compared = was.is_some_and(|was| objects.has_map(was, is));
        if !is_compared && !wanted.is_in(&*objects.fresh_words((is, None))?) {
            continue;
        }
        // What a file had already under another name did not come to it.
        let was = match was {
            Some(was) => Some(was),
            None => renames::origin(objects, (old, new), &(path.clone(), is))?,
        };
        let can_hold = was.is_none() || wanted.is_in(&*objects.fresh_words((is, was))?);
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
        // Lines that say little are in many files: only where much else came along they are the same ones.
        let weight: f64 = (place.region.first..=place.region.last).map(|line| came.weight(line)).sum();
        let floor = if is_half || weight >= ELSEWHERE_WEIGHT { ELSEWHERE_FLOOR } else { LIGHT_FLOOR };
        if traced.score < floor {
            continue;
        }
        if best.as_ref().is_none_or(|(_, score)| traced.score > *score) {
            best = Some(arrived(place, path, is, &traced, ArrivalKind::Across));
        }
    }
    Ok(best)
}

fn along(
    objects: &Objects,
    range: &CommitRange,
    direction: HistoryDirection,
    place: &FileRegion,
    pace: &mut FollowCost,
) -> Result<FollowOutcome, ObjectError> {
    let (mut at, end) = match direction {
        HistoryDirection::Forward => (range.ancestor, range.descendant),
        HistoryDirection::Backward => (range.descendant, range.ancestor),
    };
    let mut place = place.clone();
    'file: while pace.files < MAX_FILES_ON_THE_WAY {
        let route = objects.route(range, direction, at, &place)?;
        for change in &*route {
            pace.steps += 1;
            let next = match pace.steps {
                ..=MAX_STEPS => step(objects, change.old, change.new, &place, &change.went, Reach::Commit)?,
                _ => None,
            };
            let Some(next) = next else { return Ok(FollowOutcome::Lost(place, change.old)) };
            place = next;
            at = change.commit;
            if !is_on_route(&place, &change.went) {
                pace.files += 1;
                if at == end {
                    return Ok(FollowOutcome::Arrived(place));
                }
                continue 'file;
            }
        }
        return Ok(FollowOutcome::Arrived(place));
    }
    let tree = objects.commit(at)?.tree;
    Ok(FollowOutcome::Lost(place, tree))
}
