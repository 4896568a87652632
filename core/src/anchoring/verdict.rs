//! Calls an outcome by its state.
//!
//! The state follows from the text, not from the step that found the place: equal text is anchored
//! or shifted, anything else is outdated.

use crate::edit::Text;
use crate::git::BlobId;
use crate::record::Anchor;

use super::follow::{Came, Place};
use super::objects::{ObjectError, Objects};
use super::position::{Confidence, Orphaning, Outdating, Position, Shift, Site};
use super::region::Region;
use super::sameness::{Sameness, sameness};
use super::solid;

/// What stands elsewhere and scores less is never called the same content: it could equally be
/// yet elsewhere.
const SHIFTED_FLOOR: f64 = 0.6;

/// Whether lines that moved within their file cannot be mistaken: one of them stands once in both versions.
fn is_known(old: &Text, new: &Text, region: &Region, place: &Place) -> bool {
    place.came == Came::Moved && (region.first..=region.last).any(|line| solid::is_known(old, new, line))
}

/// An orphan without candidates.
pub(super) fn orphan(why: Orphaning) -> Position {
    Position::Orphaned { why, candidates: Vec::new() }
}

/// Calls a place that was found by its state.
pub(super) fn of(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    region: &Region,
    place: &Place,
) -> Result<Position, ObjectError> {
    let (old, new) = (objects.text(blob)?, objects.text(place.blob)?);
    Ok(between(&old, &new, anchor, region, place))
}

/// Calls a place by its state, given the old text and the one that the place is in.
pub(super) fn between(old: &Text, new: &Text, anchor: &Anchor, region: &Region, place: &Place) -> Position {
    let site = Site::new(place.path.clone(), Some(place.region.to_range(new)));
    let renamed = place.path != anchor.path;
    let confidence = Confidence::from_score(place.score);
    let candidates = Vec::new();
    let why = match sameness(old, region, new, &place.region) {
        Sameness::Exact if place.came == Came::Kept => return Position::Anchored { site, renamed },
        Sameness::Changed => None,
        _ if place.came >= Came::Moved
            && place.score < SHIFTED_FLOOR
            && !is_known(old, new, region, place) =>
        {
            None
        }
        Sameness::Grown => Some(Shift::Grown),
        Sameness::Normal => Some(Shift::Reformatted),
        Sameness::Exact => Some(match place.came {
            Came::Across => Shift::MovedAcross,
            Came::Moved => Shift::MovedWithin,
            Came::InPlace if region.columns.is_some() => Shift::Quoted,
            Came::Kept | Came::InPlace => Shift::History,
            Came::Twin => Shift::Twin,
        }),
    };
    tracing::debug!(path = %place.path, score = place.score, came = ?place.came, same = ?why, "located");
    match why {
        Some(why) => Position::Shifted { site, why, confidence, candidates },
        None => {
            let why = match place.came {
                Came::Kept | Came::InPlace => Outdating::ChangedInPlace,
                Came::Moved => Outdating::Similar,
                Came::Across => Outdating::SimilarAcross,
                Came::Twin => Outdating::History,
            };
            Position::Outdated { guess: site, why, confidence, candidates }
        }
    }
}
