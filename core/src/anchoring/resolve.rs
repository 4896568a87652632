//! Locates one anchor: the order of the steps.
//!
//! Each step is a file of its own; the state that an outcome is called by is `classify`'s work.

use crate::git::{BlobId, CommitId, RepoPath, TreeId};
use crate::record::{Anchor, AnchorSide, Range};

use super::classify;
use super::files::bypass::{SearchScope, is_binary};
use super::files::file_pair::FilePair;
use super::files::renames;
use super::files::same_file::{self, FileDestination};
use super::history::follow::{self, ArrivalKind, FileRegion, FollowOutcome, Reach};
use super::history::to_head;
use super::lines::conflict_markers;
use super::lines::region::LineRegion;
use super::locate::{Head, LocateError};
use super::lost_lines;
use super::matching::trace::CHOSEN;
use super::matching::trusted_match;
use super::matching::twin;
use super::matching::within_hunk;
use super::position::{MatchConfidence, Orphaning, Position, Shift, Site, SiteCandidate};
use super::repository::objects::{ObjectError, Objects, PathEntry};
use super::without_blob;

/// How well a direct comparison must fit to count where history lost the lines.
///
/// At 0.8 half as many of the lost lines are found again on long spans, and none of them wrongly;
/// at 0.65 none is wrong either.
const AGAINST_HISTORY: f64 = 0.65;

/// How many copies of a file are offered beside the one that was taken.
const MAX_OFFERED: usize = 5;

/// The position of an anchor whose file is the same in the head, which has `here` at its `path`.
///
/// `None` if it is not, or on deleted lines, whatever became of them.
pub(super) fn unchanged(anchor: &Anchor, path: &RepoPath, here: Option<PathEntry>) -> Option<Position> {
    let (Some(PathEntry::File(found)), Some(blob), AnchorSide::New) = (here, anchor.blob, &anchor.side)
    else {
        return None;
    };
    let site = || Site::new(path.clone(), anchor.range);
    (found == blob).then(|| Position::Anchored { site: site(), renamed: false })
}

/// Locates one anchor on lines of a head in another one.
pub(super) fn resolve(objects: &Objects, anchor: &Anchor, head: Head) -> Result<Position, LocateError> {
    let here = objects.entry(head.tree, anchor.path.as_bytes())?;
    match unchanged(anchor, &anchor.path, here) {
        Some(position) => Ok(position),
        None => resolve_changed(objects, anchor, head, here),
    }
}

/// Locates one anchor whose file is not the same in the head, which has `here` at its path.
pub(super) fn resolve_changed(
    objects: &Objects,
    anchor: &Anchor,
    head: Head,
    here: Option<PathEntry>,
) -> Result<Position, LocateError> {
    let Some(blob) = anchor.blob else {
        // Nothing is known but words that nobody found: what is gone is the lines, where the file is there.
        let why = if here.is_some() { Orphaning::Deleted } else { Orphaning::FileDeleted };
        return Ok(classify::orphan(why));
    };
    let Some(range) = anchor.range else {
        return Ok(whole_file(objects, anchor, blob, old_tree(objects, anchor), head, here)?);
    };
    let Ok(text) = objects.text(blob) else {
        return Ok(without_blob::resolve(objects, anchor, blob, head.tree)?);
    };
    let region = LineRegion::from_range(range);
    if !region.fits(&text) {
        return Ok(classify::orphan(Orphaning::Impossible));
    }
    let asked = LineSearch { objects, anchor, blob, region, head };
    Ok(asked.resolve(here)?)
}

/// The tree of the commit that an anchor was made at, if that is still there.
fn old_tree(objects: &Objects, anchor: &Anchor) -> Option<TreeId> {
    anchor.commit.and_then(|commit| objects.commit(commit).ok()).map(|commit| commit.tree)
}

/// An anchor whose old text is at hand, and where it is looked for.
struct LineSearch<'a> {
    objects: &'a Objects,
    anchor: &'a Anchor,
    blob: BlobId,
    region: LineRegion,
    head: Head,
}

impl LineSearch<'_> {
    /// Looked up only where it matters: most lines are where the diff says.
    fn old_tree(&self) -> Option<TreeId> {
        old_tree(self.objects, self.anchor)
    }

    fn resolve(&self, here: Option<PathEntry>) -> Result<Position, ObjectError> {
        let start = FileRegion {
            path: self.anchor.path.clone(),
            blob: self.blob,
            region: self.region,
            score: 1.0,
            came: ArrivalKind::Kept,
        };
        let mut unproven = None;
        if let Some(PathEntry::File(found)) = here {
            match self.translate(found)? {
                Translated::Settled(position) => return Ok(position),
                Translated::Unproven(place) => unproven = Some(place),
                Translated::Changed => {}
            }
        }
        let reached = to_head::follow_region(self.objects, self.anchor.commit, self.head, &start)?;
        let was_direct = reached.as_ref().is_some_and(|reached| reached.direct);
        let followed = reached.map(|reached| reached.followed);
        if let (Some(direct), found) = (&unproven, &followed) {
            // The diff alone is not to be trusted here: history decides, where there is one.
            let elsewhere = found.as_ref().and_then(|found| match found {
                FollowOutcome::Arrived(place) => Some(place),
                FollowOutcome::Lost(..) => None,
            });
            let Some(place) = elsewhere else {
                return if found.is_some() {
                    self.classify(&direct.clone().against_history())
                } else {
                    self.classify(direct)
                };
            };
            // Where both ways lead to one place, what happened on the longer one does not matter, unless that place
            // could as well be a twin's.
            let is_proven = direct.came == ArrivalKind::Kept && place.came != ArrivalKind::Twin;
            let is_same = (&direct.path, direct.region) == (&place.path, place.region);
            return if is_proven && is_same { self.classify(direct) } else { self.classify(place) };
        }
        let found = match followed {
            Some(FollowOutcome::Arrived(place)) => Some(place),
            Some(FollowOutcome::Lost(last, tree)) => self.look_past(&start, was_direct, &last, tree)?,
            None => {
                let old = self.old_tree().unwrap_or(self.head.tree);
                follow::step(
                    self.objects,
                    old,
                    self.head.tree,
                    &start,
                    &self.went(&start, here)?,
                    Reach::Commit,
                )?
            }
        };
        if let Some(place) = found {
            return self.classify(&place);
        }
        let went = self.went(&start, here)?;
        let why = match went {
            FileDestination::File(..) => Orphaning::Deleted,
            FileDestination::Other => Orphaning::NotText,
            FileDestination::Gone => Orphaning::FileDeleted,
        };
        let lost = match &went {
            FileDestination::File(path, found) => lost_lines::find(self.objects, &start, path, *found)?,
            FileDestination::Other | FileDestination::Gone => lost_lines::LostLines::default(),
        };
        Ok(lost.into_position(why, self.head.commit.is_none()))
    }

    /// Layers 1 and 2: what the diff kept, in the file at the same path.
    fn translate(&self, found: BlobId) -> Result<Translated, ObjectError> {
        let pair = self.objects.file_pair((self.blob, found), self.head.tree, &self.anchor.path)?;
        let FilePair { old, new, map, search, .. } = &*pair;
        let lines = self.region.first..self.region.last + 1;
        let searched = *search == SearchScope::Full;
        let Some(kept) = map.map_range(lines.clone()) else {
            return match search {
                SearchScope::Exact => Ok(Translated::Settled(self.bypassed(found)?)),
                _ if is_binary(new.bytes()) => Ok(Translated::Settled(classify::orphan(Orphaning::NotText))),
                SearchScope::Hunk => Ok(Translated::Settled(self.within_hunk(&pair, found)?)),
                SearchScope::Full => Ok(Translated::Changed),
            };
        };
        let region = LineRegion { first: kept.start, last: kept.end - 1, columns: self.region.columns };
        let undecided = searched && twin::is_undecided(old, new, map, &lines);
        let firm = !searched || self.head.commit.is_none();
        let is_trusted = firm || trusted_match::is_trusted(old, new, map, lines.clone());
        // In a conflict the lines are on their own side: what the other one says is neither a twin of theirs, nor
        // what has become of them. Conflicts are looked for only where it matters.
        let in_conflict = (undecided || !is_trusted)
            && conflict_markers::holds(new, region.first)
            && !conflict_markers::is_in(old);
        let chosen = undecided
            && !in_conflict
            && twin::is_undecided(old, &*self.objects.side(self.blob, found)?, map, &lines);
        let (came, score) = if chosen { (ArrivalKind::Twin, CHOSEN) } else { (ArrivalKind::Kept, 1.0) };
        let place = FileRegion { path: self.anchor.path.clone(), blob: found, region, score, came };
        let trusted = firm || in_conflict || (!chosen && is_trusted);
        let settled = || classify::classify_texts(old, new, self.anchor, &self.region, &place);
        Ok(if trusted { Translated::Settled(settled()) } else { Translated::Unproven(place) })
    }

    /// Where the lines are in a file that is too large to be searched: in the hunk that changed them, if anywhere.
    fn within_hunk(&self, pair: &FilePair, found: BlobId) -> Result<Position, ObjectError> {
        let FilePair { old, new, map, .. } = pair;
        let Some(traced) = within_hunk::trace(old, new, map, &self.region) else {
            return self.bypassed(found);
        };
        let (path, region) = (self.anchor.path.clone(), traced.region);
        let place = FileRegion { path, blob: found, region, score: traced.score, came: traced.kind.into() };
        Ok(classify::classify_texts(old, new, self.anchor, &self.region, &place))
    }

    /// Compares with the head what history lost on the way there; it must look very much like it.
    ///
    /// Where the two versions were compared `already`, that has nothing more to say.
    fn look_past(
        &self,
        start: &FileRegion,
        already: bool,
        last: &FileRegion,
        tree: TreeId,
    ) -> Result<Option<FileRegion>, ObjectError> {
        let leap = |tree: TreeId, place: &FileRegion| -> Result<Option<FileRegion>, ObjectError> {
            let went = same_file::find(self.objects, tree, self.head.tree, &place.path, place.blob)?;
            let found = follow::step(self.objects, tree, self.head.tree, place, &went, Reach::Leap)?;
            Ok(found.filter(|found| found.score >= AGAINST_HISTORY))
        };
        let old_tree = self.old_tree();
        let direct = match old_tree {
            Some(old) if !already => leap(old, start)?,
            _ => None,
        };
        let rest = if Some(tree) == old_tree { None } else { leap(tree, last)? };
        let found = match (direct, rest) {
            (Some(direct), Some(rest)) if rest.score > direct.score => Some(rest),
            (direct, rest) => direct.or(rest),
        };
        Ok(found.map(FileRegion::against_history))
    }

    /// The position of lines that changed in a file that is never searched: the diff says where they were.
    fn bypassed(&self, found: BlobId) -> Result<Position, ObjectError> {
        let lost = lost_lines::unsearched(self.objects, (self.blob, &self.region), &self.anchor.path, found)?;
        Ok(lost.into_position(Orphaning::Bypassed, false))
    }

    fn went(&self, start: &FileRegion, here: Option<PathEntry>) -> Result<FileDestination, ObjectError> {
        match (here, self.old_tree()) {
            (Some(PathEntry::File(found)), _) => Ok(FileDestination::File(start.path.clone(), found)),
            (_, Some(tree)) => same_file::find(self.objects, tree, self.head.tree, &start.path, start.blob),
            (Some(PathEntry::Other), None) => Ok(FileDestination::Other),
            (None, None) => {
                Ok(match same_file::elsewhere(self.objects, self.head.tree, &start.path, start.blob)? {
                    Some((path, blob)) => FileDestination::File(path, blob),
                    None => FileDestination::Gone,
                })
            }
        }
    }

    fn classify(&self, place: &FileRegion) -> Result<Position, ObjectError> {
        let mut position = classify::classify(self.objects, self.anchor, self.blob, &self.region, place)?;
        if let (Position::Shifted { site, why: Shift::Twin, candidates, .. }, Some(old)) =
            (&mut position, self.old_tree())
        {
            let file = (place.path.clone(), place.blob);
            let trees = (old, self.head.tree);
            *candidates = copies(self.objects, trees, &self.anchor.path, &file, site.range)?;
        }
        Ok(position)
    }
}

/// What layers 1 and 2 say.
enum Translated {
    Settled(Position),
    /// The diff kept the lines here, but it may be chance: they are common, or something changed right beside them.
    Unproven(FileRegion),
    Changed,
}

fn whole_file(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    old_tree: Option<TreeId>,
    head: Head,
    here: Option<PathEntry>,
) -> Result<Position, ObjectError> {
    let went = match (here, old_tree) {
        (Some(PathEntry::File(found)), _) => FileDestination::File(anchor.path.clone(), found),
        (_, Some(tree)) => match follow_file(objects, anchor, blob, head)? {
            Some(file) => file,
            None => same_file::find(objects, tree, head.tree, &anchor.path, blob)?,
        },
        (Some(PathEntry::Other), None) => FileDestination::Other,
        (None, None) => match same_file::elsewhere(objects, head.tree, &anchor.path, blob)? {
            Some((path, blob)) => FileDestination::File(path, blob),
            None => FileDestination::Gone,
        },
    };
    Ok(match went {
        FileDestination::File(path, found) => {
            let renamed = path != anchor.path;
            // Of copies on disk nobody committed one; of those in commits, history may say which it is.
            let committed =
                head.commit.and_then(|commit| objects.commit(commit).ok()).map(|commit| commit.tree);
            let candidates = match committed.or(old_tree).filter(|_| renamed) {
                Some(old) => copies(objects, (old, head.tree), &anchor.path, &(path.clone(), found), None)?,
                None => Vec::new(),
            };
            let site = Site::new(path, None);
            if candidates.is_empty() {
                return Ok(Position::Anchored { site, renamed });
            }
            let (why, confidence) = (Shift::Twin, MatchConfidence::from_score(CHOSEN));
            Position::Shifted { site, why, confidence, candidates }
        }
        FileDestination::Other => classify::orphan(Orphaning::NotText),
        FileDestination::Gone => classify::orphan(Orphaning::FileDeleted),
    })
}

/// The same lines in the files that could as well be the one that was found.
fn copies(
    objects: &Objects,
    trees: (TreeId, TreeId),
    was: &RepoPath,
    found: &renames::FileBlob,
    range: Option<Range>,
) -> Result<Vec<SiteCandidate>, ObjectError> {
    let confidence = MatchConfidence::from_score(CHOSEN);
    let copies = renames::twins(objects, trees, was, found)?.into_iter().take(MAX_OFFERED);
    Ok(copies.map(|path| SiteCandidate { site: Site::new(path, range), confidence }).collect())
}

/// Follows a whole file through history; `None` if history cannot say.
fn follow_file(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    head: Head,
) -> Result<Option<FileDestination>, ObjectError> {
    let ends: Option<(CommitId, CommitId)> = anchor.commit.zip(head.commit);
    let Some((from, to)) = ends.filter(|(from, to)| from != to) else { return Ok(None) };
    let file = to_head::follow_file(objects, from, to, (&anchor.path, blob))?;
    let tree = objects.commit(to)?.tree;
    match file {
        Some((path, blob)) if tree != head.tree => {
            Ok(Some(same_file::find(objects, tree, head.tree, &path, blob)?))
        }
        Some((path, blob)) => Ok(Some(FileDestination::File(path, blob))),
        None => Ok(None),
    }
}
