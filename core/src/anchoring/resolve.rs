//! Locates one anchor: the order of the steps.
//!
//! Each step is a file of its own; the state that an outcome is called by is `verdict`'s work.

use crate::git::{BlobId, CommitId, RepoPath, TreeId};
use crate::record::{Anchor, Side};

use super::bypass::{Search, is_binary};
use super::files::{self, Went};
use super::follow::{self, Came, Followed, Place, Reach};
use super::locate::{Head, LocateError};
use super::objects::{Entry, ObjectError, Objects};
use super::position::{Orphaning, Position, Site};
use super::region::Region;
use super::sight::Sight;
use super::trace::CHOSEN;
use super::verdict;
use super::{conflict, journey, solid, textual, twin, vestige, within_hunk};

/// How well a direct comparison must fit to count where history lost the lines.
///
/// At 0.8 half as many of the lost lines are found again on long spans, and none of them wrongly;
/// at 0.65 none is wrong either.
const AGAINST_HISTORY: f64 = 0.65;

/// The position of an anchor whose file is the same in the head, which has `here` at its `path`.
///
/// `None` if it is not, or on deleted lines, whatever became of them.
pub(super) fn unchanged(anchor: &Anchor, path: &RepoPath, here: Option<Entry>) -> Option<Position> {
    let (Some(Entry::File(found)), Some(blob), Side::New) = (here, anchor.blob, &anchor.side) else {
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
    here: Option<Entry>,
) -> Result<Position, LocateError> {
    let Some(blob) = anchor.blob else {
        // Nothing is known but words that nobody found: what is gone is the lines, where the file is there.
        let why = if here.is_some() { Orphaning::Deleted } else { Orphaning::FileDeleted };
        return Ok(verdict::orphan(why));
    };
    let Some(range) = anchor.range else {
        return Ok(whole_file(objects, anchor, blob, old_tree(objects, anchor), head, here)?);
    };
    let Ok(text) = objects.text(blob) else { return Ok(textual::resolve(objects, anchor, blob, head.tree)?) };
    let region = Region::from_range(range);
    if !region.fits(&text) {
        return Ok(verdict::orphan(Orphaning::Impossible));
    }
    let asked = Asked { objects, anchor, blob, region, head };
    Ok(asked.resolve(here)?)
}

/// The tree of the commit that an anchor was made at, if that is still there.
fn old_tree(objects: &Objects, anchor: &Anchor) -> Option<TreeId> {
    anchor.commit.and_then(|commit| objects.commit(commit).ok()).map(|commit| commit.tree)
}

/// An anchor whose old text is at hand, and where it is looked for.
struct Asked<'a> {
    objects: &'a Objects,
    anchor: &'a Anchor,
    blob: BlobId,
    region: Region,
    head: Head,
}

impl Asked<'_> {
    /// Looked up only where it matters: most lines are where the diff says.
    fn old_tree(&self) -> Option<TreeId> {
        old_tree(self.objects, self.anchor)
    }

    fn resolve(&self, here: Option<Entry>) -> Result<Position, ObjectError> {
        let start = Place {
            path: self.anchor.path.clone(),
            blob: self.blob,
            region: self.region,
            score: 1.0,
            came: Came::Kept,
        };
        let mut unproven = None;
        if let Some(Entry::File(found)) = here {
            match self.translate(found)? {
                Translated::Settled(position) => return Ok(position),
                Translated::Unproven(place) => unproven = Some(place),
                Translated::Changed => {}
            }
        }
        let journey = journey::to_head(self.objects, self.anchor.commit, self.head, &start)?;
        let was_direct = journey.as_ref().is_some_and(|journey| journey.direct);
        let followed = journey.map(|journey| journey.followed);
        if let (Some(direct), found) = (&unproven, &followed) {
            // The diff alone is not to be trusted here: history decides, where there is one.
            let elsewhere = found.as_ref().and_then(|found| match found {
                Followed::Arrived(place) => Some(place),
                Followed::Lost(..) => None,
            });
            let Some(place) = elsewhere else {
                return if found.is_some() {
                    self.verdict(&direct.clone().against_history())
                } else {
                    self.verdict(direct)
                };
            };
            // Where both ways lead to one place, what happened on the longer one does not matter, unless that place
            // could as well be a twin's.
            let is_proven = direct.came == Came::Kept && place.came != Came::Twin;
            let is_same = (&direct.path, direct.region) == (&place.path, place.region);
            return if is_proven && is_same { self.verdict(direct) } else { self.verdict(place) };
        }
        let found = match followed {
            Some(Followed::Arrived(place)) => Some(place),
            Some(Followed::Lost(last, tree)) => self.look_past(&start, was_direct, &last, tree)?,
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
            return self.verdict(&place);
        }
        let went = self.went(&start, here)?;
        let why = match went {
            Went::File(..) => Orphaning::Deleted,
            Went::Other => Orphaning::NotText,
            Went::Gone => Orphaning::FileDeleted,
        };
        let vestige = match &went {
            Went::File(path, found) => vestige::of(self.objects, &start, path, *found)?,
            Went::Other | Went::Gone => vestige::Vestige::default(),
        };
        Ok(vestige.into_position(why, self.head.commit.is_none()))
    }

    /// Layers 1 and 2: what the diff kept, in the file at the same path.
    fn translate(&self, found: BlobId) -> Result<Translated, ObjectError> {
        let sight = self.objects.sight((self.blob, found), self.head.tree, &self.anchor.path)?;
        let Sight { old, new, map, search, .. } = &*sight;
        let lines = self.region.first..self.region.last + 1;
        let searched = *search == Search::Full;
        let Some(kept) = map.map_range(lines.clone()) else {
            return match search {
                Search::Exact => Ok(Translated::Settled(self.bypassed(found)?)),
                _ if is_binary(new.bytes()) => Ok(Translated::Settled(verdict::orphan(Orphaning::NotText))),
                Search::Hunk => Ok(Translated::Settled(self.within_hunk(&sight, found)?)),
                Search::Full => Ok(Translated::Changed),
            };
        };
        let region = Region { first: kept.start, last: kept.end - 1, columns: self.region.columns };
        let undecided = searched && twin::is_undecided(old, new, map, &lines);
        let firm = !searched || self.head.commit.is_none();
        let is_solid = firm || solid::is_solid(old, new, map, lines.clone());
        // In a conflict the lines stand on their own side: what the other one says is neither a twin of theirs, nor
        // what has become of them. Conflicts are looked for only where it matters.
        let in_conflict =
            (undecided || !is_solid) && conflict::holds(new, region.first) && !conflict::is_in(old);
        let chosen = undecided
            && !in_conflict
            && twin::is_undecided(old, &*self.objects.side(self.blob, found)?, map, &lines);
        let (came, score) = if chosen { (Came::Twin, CHOSEN) } else { (Came::Kept, 1.0) };
        let place = Place { path: self.anchor.path.clone(), blob: found, region, score, came };
        let solid = firm || in_conflict || (!chosen && is_solid);
        let settled = || verdict::between(old, new, self.anchor, &self.region, &place);
        Ok(if solid { Translated::Settled(settled()) } else { Translated::Unproven(place) })
    }

    /// Where the lines are in a file that is too large to be searched: in the hunk that changed them, if anywhere.
    fn within_hunk(&self, sight: &Sight, found: BlobId) -> Result<Position, ObjectError> {
        let Sight { old, new, map, .. } = sight;
        let Some(traced) = within_hunk::trace(old, new, map, &self.region) else {
            return self.bypassed(found);
        };
        let (path, region) = (self.anchor.path.clone(), traced.region);
        let place = Place { path, blob: found, region, score: traced.score, came: traced.way.into() };
        Ok(verdict::between(old, new, self.anchor, &self.region, &place))
    }

    /// Compares with the head what history lost on the way there; it must look very much like it.
    ///
    /// Where the two versions were compared `already`, that has nothing more to say.
    fn look_past(
        &self,
        start: &Place,
        already: bool,
        last: &Place,
        tree: TreeId,
    ) -> Result<Option<Place>, ObjectError> {
        let leap = |tree: TreeId, place: &Place| -> Result<Option<Place>, ObjectError> {
            let went = files::find(self.objects, tree, self.head.tree, &place.path, place.blob)?;
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
        Ok(found.map(Place::against_history))
    }

    /// The position of lines that changed in a file that is never searched: the diff says where they stood.
    fn bypassed(&self, found: BlobId) -> Result<Position, ObjectError> {
        let vestige = vestige::unsearched(self.objects, (self.blob, &self.region), &self.anchor.path, found)?;
        Ok(vestige.into_position(Orphaning::Bypassed, false))
    }

    fn went(&self, start: &Place, here: Option<Entry>) -> Result<Went, ObjectError> {
        match (here, self.old_tree()) {
            (Some(Entry::File(found)), _) => Ok(Went::File(start.path.clone(), found)),
            (_, Some(tree)) => files::find(self.objects, tree, self.head.tree, &start.path, start.blob),
            (Some(Entry::Other), None) => Ok(Went::Other),
            (None, None) => {
                Ok(match files::elsewhere(self.objects, self.head.tree, &start.path, start.blob)? {
                    Some((path, blob)) => Went::File(path, blob),
                    None => Went::Gone,
                })
            }
        }
    }

    fn verdict(&self, place: &Place) -> Result<Position, ObjectError> {
        verdict::of(self.objects, self.anchor, self.blob, &self.region, place)
    }
}

/// What layers 1 and 2 say.
enum Translated {
    Settled(Position),
    /// The diff kept the lines here, but it may be chance: they are common, or something changed right beside them.
    Unproven(Place),
    Changed,
}

fn whole_file(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    old_tree: Option<TreeId>,
    head: Head,
    here: Option<Entry>,
) -> Result<Position, ObjectError> {
    let went = match (here, old_tree) {
        (Some(Entry::File(found)), _) => Went::File(anchor.path.clone(), found),
        (_, Some(tree)) => match follow_file(objects, anchor, blob, head)? {
            Some(file) => file,
            None => files::find(objects, tree, head.tree, &anchor.path, blob)?,
        },
        (Some(Entry::Other), None) => Went::Other,
        (None, None) => match files::elsewhere(objects, head.tree, &anchor.path, blob)? {
            Some((path, blob)) => Went::File(path, blob),
            None => Went::Gone,
        },
    };
    Ok(match went {
        Went::File(path, _) => {
            let renamed = path != anchor.path;
            Position::Anchored { site: Site::new(path, None), renamed }
        }
        Went::Other => verdict::orphan(Orphaning::NotText),
        Went::Gone => verdict::orphan(Orphaning::FileDeleted),
    })
}

/// Follows a whole file through history; `None` if history cannot say.
fn follow_file(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    head: Head,
) -> Result<Option<Went>, ObjectError> {
    let ends: Option<(CommitId, CommitId)> = anchor.commit.zip(head.commit);
    let Some((from, to)) = ends.filter(|(from, to)| from != to) else { return Ok(None) };
    let file = journey::file_to_head(objects, from, to, (&anchor.path, blob))?;
    let tree = objects.commit(to)?.tree;
    match file {
        Some((path, blob)) if tree != head.tree => {
            Ok(Some(files::find(objects, tree, head.tree, &path, blob)?))
        }
        Some((path, blob)) => Ok(Some(Went::File(path, blob))),
        None => Ok(None),
    }
}
