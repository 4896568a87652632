//! What is left of lines that could not be found: like lines, and where they stood.
//!
//! Offered to a person as candidates. Only where there is no history to say that the lines were
//! deleted, as in an unsaved buffer, the place where they stood is itself the best guess.

use std::num::NonZeroU32;

use crate::edit::{Mapped, is_blank};
use crate::git::{BlobId, RepoPath};
use crate::record::{LineSpan, Range};

use super::evidence::Evidence;
use super::follow::Place;
use super::matching;
use super::objects::{ObjectError, Objects};
use super::position::{Candidate, Confidence, Orphaning, Outdating, Position, Site};

/// How many like lines are offered.
const MAX_CANDIDATES: usize = 3;

/// What scores less is not worth offering.
const OFFERED: f64 = 0.35;

/// How sure it is that a comment belongs where its lines stood.
const STOOD_HERE: f64 = 0.3;

/// What is left of lines that are gone.
#[derive(Debug, Default)]
pub(super) struct Vestige {
    like: Vec<Candidate>,
    /// Where they stood, and what led there.
    stood: Option<(Site, Outdating)>,
}

/// Looks for what is left of `place` in a file.
pub(super) fn of(
    objects: &Objects,
    place: &Place,
    path: &RepoPath,
    blob: BlobId,
) -> Result<Vestige, ObjectError> {
    let pair = objects.comparison(place.blob, blob)?;
    let region = &place.region;
    let site = |first: u32, last: u32| -> Option<Site> {
        let span = LineSpan::new(NonZeroU32::new(first + 1)?, NonZeroU32::new(last + 1)?)?;
        Some(Site::new(path.clone(), Some(Range::lines(span))))
    };
    let score = |evidence: &Evidence| Confidence::from_score(evidence.score());
    let like = matching::judge(&pair, region.first)
        .into_iter()
        .filter(|found| found.evidence.score() >= OFFERED)
        .take(MAX_CANDIDATES)
        .filter_map(|found| {
            Some(Candidate { site: site(found.line, found.line)?, confidence: score(&found.evidence) })
        })
        .collect();
    let stood = match pair.map().map(|map| (map, map.map(region.first), map.map(region.last))) {
        Some((map, Mapped::Changed(first), Mapped::Changed(last))) if first == last => {
            let hunk = &map.hunks()[first];
            let filled = hunk.after.clone().filter(|line| !is_blank(pair.new.bare(*line)));
            let alone =
                hunk.before.clone().all(|line| region.contains(line) || is_blank(pair.old.bare(line)));
            match (filled.clone().min(), filled.max(), map.neighbours(first)) {
                // Only these lines were replaced, and what stood around them is still there.
                (Some(top), Some(end), (Some(_), Some(_))) if alone => {
                    Some((site(top, end), Outdating::Context))
                }
                (None, None, (Some(above), _)) => Some((site(above, above), Outdating::Deleted)),
                (None, None, (None, Some(below))) => Some((site(below, below), Outdating::Deleted)),
                _ => None,
            }
        }
        _ => None,
    };
    Ok(Vestige { like, stood: stood.and_then(|(site, why)| Some((site?, why))) })
}

impl Vestige {
    /// The position of lines that are gone; `alone` if there is no history to ask.
    pub fn into_position(self, why: Orphaning, alone: bool) -> Position {
        let confidence = Confidence::from_score(STOOD_HERE);
        let mut candidates = self.like;
        match self.stood {
            Some((guess, why)) if alone => Position::Outdated { guess, why, confidence, candidates },
            stood => {
                candidates.extend(stood.map(|(site, _)| Candidate { site, confidence }));
                candidates.truncate(MAX_CANDIDATES + 1);
                Position::Orphaned { why, candidates }
            }
        }
    }
}
