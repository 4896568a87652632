//! Locates comments on deleted lines: through the base, and then in what the head made of it.
//!
//! A deleted line lives in the base, so its position counts lines of the base. Crossing from the old
//! base to the new one is what every anchor does from one head to the next, and is not done here.
//!
//! Pure like all of the engine: a comment whose line is no longer deleted is outdated, and comes back
//! to life when the line is deleted again.

use crate::edit::{LineMap, Text};
use crate::git::{BlobId, CommitId, RepoPath, TreeId};
use crate::record::{Anchor, AnchorSide, OldSide};

use super::classify;
use super::files::same_file::{self, FileDestination};
use super::lines::own_words::has_own_words;
use super::lines::region::LineRegion;
use super::locate::{Head, LocateError};
use super::make::lines::Counterpart;
use super::matching::former_place;
use super::position::{MatchConfidence, Orphaning, Outdating, Position, Site};
use super::repository::objects::{ObjectError, Objects, PathEntry};
use super::resolve::resolve;

/// How sure it is that a comment belongs beside the lines that were around its own.
const STOOD_HERE: f64 = 0.3;

/// What a head is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its files.
    pub tree: TreeId,
    /// The commit whose tree it is; `None` without history.
    pub commit: Option<CommitId>,
}

/// Finds what a file of the base is in the head: at its path, or renamed; `None` if the head deleted it.
///
/// An anchor on deleted lines is made with this answer, so that it agrees with what is looked for later.
pub fn counterpart(
    repo: &gix::Repository,
    base: TreeId,
    head: TreeId,
    path: &RepoPath,
) -> Result<Option<Counterpart>, LocateError> {
    Ok(counterparts(repo, base, head, std::slice::from_ref(path))?.pop().flatten())
}

/// Finds what several files of the base are in the head, each as [`counterpart`] does, in their order.
pub fn counterparts(
    repo: &gix::Repository,
    base: TreeId,
    head: TreeId,
    paths: &[RepoPath],
) -> Result<Vec<Option<Counterpart>>, LocateError> {
    let objects = Objects::new(repo, None);
    let one = |path: &RepoPath| {
        let Some(PathEntry::File(blob)) = objects.entry(base, path.as_bytes())? else { return Ok(None) };
        Ok(match same_file::find(&objects, base, head, path, blob)? {
            FileDestination::File(path, blob) => Some(Counterpart { path, blob }),
            FileDestination::Other | FileDestination::Gone => None,
        })
    };
    paths.iter().map(one).collect()
}

/// Locates an anchor on deleted lines.
///
/// Without a base, the one that the comment was made against still counts; where its commit is gone,
/// the pinned file alone.
pub(super) fn locate_deleted(
    objects: &Objects,
    anchor: &Anchor,
    old: &OldSide,
    base: Option<Base>,
    head: Head,
) -> Result<Position, LocateError> {
    let region = anchor.range.map(LineRegion::from_range);
    if let (Some(region), Ok(text)) = (region, objects.text(old.blob))
        && !region.fits(&text)
    {
        return Ok(classify::orphan(Orphaning::Impossible));
    }
    let own = || {
        let tree = objects.commit(old.commit).ok()?.tree;
        Some(Base { tree, commit: Some(old.commit) })
    };
    let asked = DeletedSearch { objects, anchor, old, region, base: base.or_else(own), head };
    let position = asked.in_base()?;
    Ok(asked.in_change(position)?)
}

/// An anchor on deleted lines, and the change in which it is looked for.
struct DeletedSearch<'a> {
    objects: &'a Objects,
    anchor: &'a Anchor,
    old: &'a OldSide,
    region: Option<LineRegion>,
    base: Option<Base>,
    head: Head,
}

impl DeletedSearch<'_> {
    /// Where the lines are in the base, whatever the head does with them.
    fn in_base(&self) -> Result<Position, LocateError> {
        let origin = in_old_base(self.anchor, self.old);
        let Some(base) = self.base else {
            return Ok(match self.objects.text(self.old.blob) {
                Ok(_) => Position::Anchored { site: Site::new(origin.path, origin.range), renamed: false },
                Err(_) => classify::orphan(Orphaning::FileDeleted),
            });
        };
        let there = Head { tree: base.tree, commit: base.commit };
        Ok(match resolve(self.objects, &origin, there)? {
            Position::Orphaned { why: Orphaning::Deleted, candidates } => {
                match self.stood(&origin, base.tree)? {
                    Some(guess) => {
                        let candidates = candidates.into_iter().filter(|other| other.site != guess).collect();
                        let confidence = MatchConfidence::from_score(STOOD_HERE);
                        Position::Outdated { guess, why: Outdating::Deleted, confidence, candidates }
                    }
                    None => Position::Orphaned { why: Orphaning::Deleted, candidates },
                }
            }
            position => position,
        })
    }

    /// Where lines were that the base has lost, however little of them is left.
    fn stood(&self, origin: &Anchor, base: TreeId) -> Result<Option<Site>, ObjectError> {
        let Some(region) = self.region else { return Ok(None) };
        let (path, blob) = (&origin.path, self.old.blob);
        let old_tree = self.objects.commit(self.old.commit).map(|commit| commit.tree);
        let went = match old_tree {
            Ok(tree) => same_file::find(self.objects, tree, base, path, blob)?,
            Err(_) => match same_file::elsewhere(self.objects, base, path, blob)? {
                Some((path, found)) => FileDestination::File(path, found),
                None => FileDestination::Gone,
            },
        };
        let FileDestination::File(path, found) = went else { return Ok(None) };
        let Ok(map) = self.objects.map(blob, found) else { return Ok(None) };
        let text = self.objects.text(found)?;
        Ok(former_place::remaining(&map, &region).map(|left| Site::new(path, Some(left.to_range(&text)))))
    }

    /// Asks whether the change from base to head still deletes what is at a position of the base.
    fn in_change(&self, position: Position) -> Result<Position, ObjectError> {
        let site = match &position {
            Position::Anchored { site, .. } | Position::Shifted { site, .. } => site.clone(),
            Position::Outdated { .. } | Position::Orphaned { .. } => return Ok(position),
        };
        let blob = match self.base {
            None => self.old.blob,
            Some(base) => match self.objects.entry(base.tree, site.path.as_bytes())? {
                Some(PathEntry::File(blob)) => blob,
                Some(PathEntry::Other) | None => return Ok(position),
            },
        };
        let fate = match self.in_head(&site.path, blob)? {
            FileDestination::Other | FileDestination::Gone => DeletionState::Deleted,
            FileDestination::File(_, found) => match (self.region, site.range) {
                (Some(was), Some(is)) => self.fate(&was, blob, &LineRegion::from_range(is), found)?,
                // A remark on a whole file was one on its deletion, if the head had no such file.
                _ if self.anchor.blob.is_some() => DeletionState::Deleted,
                _ => DeletionState::Restored,
            },
        };
        let (mut confidence, candidates) = (position.confidence(), position.candidates().to_vec());
        let mut guess = site;
        match fate {
            DeletionState::Deleted => return Ok(position),
            DeletionState::Restored => {}
            DeletionState::Partly { deleted, share } => {
                guess.range = Some(deleted.to_range(&*self.objects.text(blob)?));
                confidence = MatchConfidence::from_score(f64::from(confidence.per_mille()) / 1000.0 * share);
            }
        }
        Ok(Position::Outdated { guess, why: Outdating::Restored, confidence, candidates })
    }

    /// Which file of the head a file of the base is.
    fn in_head(&self, path: &RepoPath, blob: BlobId) -> Result<FileDestination, ObjectError> {
        let tree = self.head.tree;
        let went = match self.base {
            Some(base) => same_file::find(self.objects, base.tree, tree, path, blob)?,
            None => at_path(self.objects, tree, path)?,
        };
        if matches!(went, FileDestination::File(..))
            || self.anchor.blob.is_none()
            || self.anchor.path == *path
        {
            return Ok(went);
        }
        // The comment was made on a renamed file. What it was renamed to may have become so unlike
        // that nobody would see a rename any more; it is that file nevertheless, unless it was there before.
        let was_there = match self.base {
            Some(base) => self.objects.entry(base.tree, self.anchor.path.as_bytes())?.is_some(),
            None => false,
        };
        if was_there { Ok(went) } else { at_path(self.objects, tree, &self.anchor.path) }
    }

    /// What the change between two blobs does with the lines that the original change deleted.
    ///
    /// A range may take in lines that the change kept; those say nothing. Nor do lines that the
    /// reviewer's diff called deleted and ours kept, as of two equal lines: they never were deleted.
    fn fate(
        &self,
        was: &LineRegion,
        blob: BlobId,
        is: &LineRegion,
        found: BlobId,
    ) -> Result<DeletionState, ObjectError> {
        let (now, text) = (self.objects.map(blob, found)?, self.objects.text(blob)?);
        // Without the old file, the anchor's own word for how many lines it has is not to be trusted.
        let Ok(through) = self.objects.map(self.old.blob, blob) else {
            return Ok(DeletionState::of(&text, &now, &(is.first..=is.last).collect::<Vec<_>>()));
        };
        // Without the original head, every commented line counts as deleted by it.
        let then = self.anchor.blob.and_then(|head| self.objects.map(self.old.blob, head).ok());
        let meant: Vec<u32> = (was.first..=was.last)
            .filter(|line| then.as_ref().is_none_or(|then| then.kept(*line).is_none()))
            .collect();
        let mut carried: Vec<u32> = if was.count() == is.count() {
            meant.iter().map(|line| line - was.first + is.first).collect()
        } else {
            meant.iter().filter_map(|line| through.kept(*line).filter(|line| is.contains(*line))).collect()
        };
        if carried.is_empty() && !meant.is_empty() {
            carried.extend(is.first..=is.last);
        }
        Ok(DeletionState::of(&text, &now, &carried))
    }
}

/// What a change does with lines that another one deleted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DeletionState {
    /// It deletes them all, or all that say something.
    Deleted,
    /// It deletes some; `share` is how many of those that count.
    Partly { deleted: LineRegion, share: f64 },
    /// It deletes none that says something.
    Restored,
}

impl DeletionState {
    /// The fate of `lines` of `text`, in ascending order, in the change that `map` describes.
    ///
    /// A diff pairs any two brackets that are in its way. So only lines that say something count, unless none does.
    fn of(text: &Text, map: &LineMap, lines: &[u32]) -> Self {
        let says = |line: &u32| has_own_words(text.bare(*line));
        let is_deleted = |line: &u32| map.kept(*line).is_none();
        let mut counted: Vec<u32> = lines.iter().copied().filter(says).collect();
        if counted.is_empty() {
            counted.extend_from_slice(lines);
        }
        let left: Vec<u32> = counted.iter().copied().filter(is_deleted).collect();
        match (left.first(), left.last()) {
            _ if left.len() == counted.len() => Self::Deleted,
            (Some(first), Some(last)) => {
                // A bracket that goes with them closes what they open.
                let goes_along =
                    |line: &u32| lines.binary_search(line).is_ok() && is_deleted(line) && !says(line);
                let end = (last + 1..text.len()).take_while(goes_along).last().unwrap_or(*last);
                let share = left.len() as f64 / counted.len() as f64;
                Self::Partly { deleted: self::lines(*first, end), share }
            }
            _ => Self::Restored,
        }
    }
}

/// The same anchor as one on a line of its old base.
fn in_old_base(anchor: &Anchor, old: &OldSide) -> Anchor {
    Anchor {
        commit: Some(old.commit),
        path: old.path.as_ref().unwrap_or(&anchor.path).clone(),
        blob: Some(old.blob),
        side: AnchorSide::New,
        ..anchor.clone()
    }
}

fn at_path(objects: &Objects, tree: TreeId, path: &RepoPath) -> Result<FileDestination, ObjectError> {
    Ok(match objects.entry(tree, path.as_bytes())? {
        Some(PathEntry::File(blob)) => FileDestination::File(path.clone(), blob),
        Some(PathEntry::Other) => FileDestination::Other,
        None => FileDestination::Gone,
    })
}

fn lines(first: u32, last: u32) -> LineRegion {
    LineRegion { first, last, columns: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Algorithm;

    /// Lines are cut at `|`; expects what is left of the deletion of `lines`, and which share of it.
    fn check_fate(base: &str, head: &str, lines: std::ops::RangeInclusive<u32>, expected: DeletionState) {
        let text =
            |lines: &str| Text::new(lines.split('|').flat_map(|line| [line, "\n"]).collect::<String>());
        let (base_text, head_text) = (text(base), text(head));
        let map = LineMap::between(&base_text, &head_text, Algorithm::Histogram);
        assert_eq!(
            DeletionState::of(&base_text, &map, &lines.collect::<Vec<_>>()),
            expected,
            "{base} to {head}"
        );
    }

    #[test]
    fn lines_come_back_by_what_they_say() {
        let partly = |first, last, share| DeletionState::Partly { deleted: lines(first, last), share };
        let base = "top|fn a() {|one();|two();|return;|}|end of it";
        // A bracket, a blank line and a bare `return` that the diff pairs prove nothing.
        check_fate(base, "top|fn b() {|}|end of it", 1..=5, DeletionState::Deleted);
        check_fate(base, "top|return;|}|end of it", 1..=5, DeletionState::Deleted);
        check_fate(base, "top|end of it", 1..=5, DeletionState::Deleted);
        // Some that say something are back, and then all.
        check_fate(base, "top|one();|end of it", 1..=5, partly(1, 5, 2.0 / 3.0));
        check_fate(base, "top|two();|}|end of it", 1..=5, partly(1, 2, 2.0 / 3.0));
        check_fate(base, "top|fn a() {|one();|}|end of it", 1..=5, partly(3, 4, 1.0 / 3.0));
        check_fate(base, base, 1..=5, DeletionState::Restored);
        // That a bracket is still missing is no deletion of what was commented.
        check_fate(base, "top|fn a() {|one();|two();|end of it", 1..=5, DeletionState::Restored);
        // Where nothing says more, brackets count.
        check_fate(base, base, 5..=5, DeletionState::Restored);
        check_fate(base, "top|end of it", 4..=5, DeletionState::Deleted);
        check_fate(base, "top|}|end of it", 4..=5, partly(4, 4, 0.5));
    }
}
