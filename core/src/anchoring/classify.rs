//! Decides the state of a position: anchored, shifted or outdated.
//!
//! The state follows from the text, not from the step that found the place: equal text is anchored
//! or shifted, anything else is outdated.

use crate::edit::Text;
use crate::git::BlobId;
use crate::record::Anchor;

use super::history::follow::{ArrivalKind, FileRegion};
use super::lines::region::LineRegion;
use super::matching::sameness::{Sameness, sameness};
use super::matching::trusted_match;
use super::position::{MatchConfidence, Orphaning, Outdating, Position, Shift, Site};
use super::repository::objects::{ObjectError, Objects};

/// What is elsewhere and scores less is never called the same content: it could equally be
/// yet elsewhere.
const SHIFTED_FLOOR: f64 = 0.6;

/// Whether lines that moved within their file cannot be mistaken: one of them occurs once in both versions.
fn is_known(old: &Text, new: &Text, region: &LineRegion, place: &FileRegion) -> bool {
    place.came == ArrivalKind::Moved
        && (region.first..=region.last).any(|line| trusted_match::is_known(old, new, line))
}

/// An orphan without candidates.
pub(super) fn orphan(why: Orphaning) -> Position {
    Position::Orphaned { why, candidates: Vec::new() }
}

/// Returns the position for a place that was found.
pub(super) fn classify(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    region: &LineRegion,
    place: &FileRegion,
) -> Result<Position, ObjectError> {
    let (old, new) = (objects.text(blob)?, objects.text(place.blob)?);
    Ok(classify_texts(&old, &new, anchor, region, place))
}

/// Returns the position for a place, given the old text and the one that the place is in.
pub(super) fn classify_texts(
    old: &Text,
    new: &Text,
    anchor: &Anchor,
    region: &LineRegion,
    place: &FileRegion,
) -> Position {
    let site = Site::new(place.path.clone(), Some(place.region.to_range(new)));
    let renamed = place.path != anchor.path;
    let confidence = MatchConfidence::from_score(place.score);
    let candidates = Vec::new();
    let why = match sameness(old, region, new, &place.region) {
        Sameness::Exact if place.came == ArrivalKind::Kept => return Position::Anchored { site, renamed },
        Sameness::Changed => None,
        _ if place.came >= ArrivalKind::Moved
            && place.score < SHIFTED_FLOOR
            && !is_known(old, new, region, place) =>
        {
            None
        }
        Sameness::Grown => Some(Shift::Grown),
        Sameness::Normal => Some(Shift::Reformatted),
        Sameness::Exact => Some(match place.came {
            ArrivalKind::Across => Shift::MovedAcross,
            ArrivalKind::Moved => Shift::MovedWithin,
            ArrivalKind::InPlace if region.columns.is_some() => Shift::Quoted,
            ArrivalKind::Kept | ArrivalKind::InPlace => Shift::History,
            ArrivalKind::Twin => Shift::Twin,
        }),
    };
    tracing::debug!(path = %place.path, score = place.score, came = ?place.came, same = ?why, "located");
    match why {
        Some(why) => Position::Shifted { site, why, confidence, candidates },
        None => {
            let why = match place.came {
                ArrivalKind::Kept | ArrivalKind::InPlace => Outdating::ChangedInPlace,
                ArrivalKind::Moved => Outdating::Similar,
                ArrivalKind::Across => Outdating::SimilarAcross,
                ArrivalKind::Twin => Outdating::History,
            };
            Position::Outdated { guess: site, why, confidence, candidates }
        }
    }
}
