//! What is left of lines that could not be found: where they were, what is there now, and like lines.
//!
//! What is in their place is reported as such, and does not claim to be the same thing. Everything else is offered to a
//! person as candidates. Only where there is no history to say that the lines were deleted, as in an unsaved buffer, the
//! place where they were is itself the best guess.

use std::ops::Range;

use crate::edit::{Mapped, Text, is_blank};
use crate::git::{BlobId, RepoPath};

use super::history::follow::FileRegion;
use super::lines::region::LineRegion;
use super::matching::comparison::Comparison;
use super::matching::former_place;
use super::matching::line_match;
use super::position::{MatchConfidence, Orphaning, Outdating, Position, Site, SiteCandidate};
use super::repository::objects::{ObjectError, Objects};

/// How many like lines are offered.
const MAX_CANDIDATES: usize = 3;

/// What scores less is not worth offering.
const OFFERED: f64 = 0.35;

/// How sure it is that a comment belongs where its lines were.
const STOOD_HERE: f64 = 0.3;

/// How many lines more than the region's own may be gone with it, or be in their place: if more was rewritten,
/// nothing says which of the new lines stand for which old ones.
const MAX_MORE: u32 = 8;

/// A line elsewhere that is so much like the region's may be it: then nothing is reported to be in its place.
const LIKE_ENOUGH: f64 = 0.45;

/// How many lines of a hunk are asked where they went, on each side of those that are gone.
const MAX_ASKED: usize = 16;

/// How many filled lines on each side count as the neighbours of a hunk.
const NEIGHBOURS: usize = 3;

/// What is left of lines that are gone.
#[derive(Debug, Default)]
pub(super) struct LostLines {
    /// Where they were.
    stood: Option<Site>,
    /// The lines that are in their place.
    instead: Option<Site>,
    /// Whether nothing is in their place.
    is_empty: bool,
    like: Vec<SiteCandidate>,
}

/// Looks for what is left of `place` in a file.
pub(super) fn find(
    objects: &Objects,
    place: &FileRegion,
    path: &RepoPath,
    blob: BlobId,
) -> Result<LostLines, ObjectError> {
    let pair = objects.comparison(place.blob, blob)?;
    let region = &place.region;
    let site = |lines: LineRegion| Site::new(path.clone(), Some(lines.to_range(&pair.new)));
    let like = line_match::judge(&pair, region.first)
        .into_iter()
        .filter(|found| found.evidence.score() >= OFFERED)
        .take(MAX_CANDIDATES)
        .map(|found| SiteCandidate {
            site: site(LineRegion { first: found.line, last: found.line, columns: None }),
            confidence: MatchConfidence::from_score(found.evidence.score()),
        })
        .collect();
    let stood = pair.map().and_then(|map| former_place::remaining(map, region)).map(site);
    let instead = instead(&pair, region)
        .map(|lines| site(LineRegion { first: lines.start, last: lines.end - 1, columns: None }));
    let is_empty =
        pair.gap(region.first).is_some_and(|mut gap| gap.all(|line| is_blank(pair.new.bare(line))));
    Ok(LostLines { stood, instead, is_empty, like })
}

/// Where lines were in a file that is never searched.
pub(super) fn unsearched(
    objects: &Objects,
    (old, region): (BlobId, &LineRegion),
    path: &RepoPath,
    blob: BlobId,
) -> Result<LostLines, ObjectError> {
    let (map, text) = (objects.map(old, blob)?, objects.text(blob)?);
    let stood = former_place::remaining(&map, region);
    let stood = stood.map(|lines| Site::new(path.clone(), Some(lines.to_range(&text))));
    Ok(LostLines { stood, ..LostLines::default() })
}

/// The lines that are in the place of a region, between neighbours that are still there.
///
/// Other lines of the hunk that went somewhere in it narrow the place. `None` if nothing is there: then the lines were
/// deleted, not replaced.
fn instead(pair: &Comparison, region: &LineRegion) -> Option<Range<u32>> {
    let map = pair.map()?;
    let hunk = match (map.map(region.first), map.map(region.last)) {
        (Mapped::Changed(first), Mapped::Changed(last)) if first == last => &map.hunks()[first],
        _ => return None,
    };
    if hunk.after.is_empty() || !has_neighbours(pair, &hunk.before) {
        return None;
    }
    let best = line_match::judge(pair, region.first).into_iter().next();
    if best.is_some_and(|best| !best.evidence.in_place && best.evidence.score() >= LIKE_ENOUGH) {
        return None;
    }
    let went = |line: u32| {
        let alone = LineRegion { first: line, last: line, columns: None };
        let found = line_match::find_line(pair, line, &alone)?;
        hunk.after.contains(&found.line).then_some((line, found.line))
    };
    let above = (hunk.before.start..region.first).rev().take(MAX_ASKED).find_map(went);
    let below = (region.last + 1..hunk.before.end).take(MAX_ASKED).find_map(went);
    let (gone, top) = above.map_or((hunk.before.start, hunk.after.start), |(old, new)| (old + 1, new + 1));
    let (left, end) = below.unwrap_or((hunk.before.end, hunk.after.end));
    let mut filled = (top..end).filter(|line| !is_blank(pair.new.bare(*line)));
    let first = filled.next()?;
    let last = filled.next_back().unwrap_or(first);
    let most = region.count() + MAX_MORE;
    (left - gone <= most && last - first < most).then_some(first..last + 1)
}

/// Whether a line that says something was kept right above or right below a hunk.
fn has_neighbours(pair: &Comparison, hunk: &Range<u32>) -> bool {
    let says = |line: u32| pair.kept(line).is_some() && says_something(&pair.old, line);
    let above = Comparison::filled(&pair.old, hunk.start, -1, NEIGHBOURS);
    let below = Comparison::filled(&pair.old, hunk.end.saturating_sub(1), 1, NEIGHBOURS);
    above.into_iter().chain(below).any(says)
}

fn says_something(text: &Text, line: u32) -> bool {
    text.bare(line).iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80).count() >= 3
}

impl LostLines {
    /// The position of lines that are gone; `alone` if there is no history to ask.
    pub fn into_position(self, why: Orphaning, alone: bool) -> Position {
        let confidence = MatchConfidence::from_score(STOOD_HERE);
        // A place inside another one is not offered beside it.
        let lines = |site: &Site| site.range.map(crate::record::Range::span);
        let is_inside = |one: &Site, other: &Site| {
            lines(one)
                .zip(lines(other))
                .is_some_and(|(one, other)| other.first() <= one.first() && one.last() <= other.last())
        };
        let like = |not: Option<&Site>| -> Vec<SiteCandidate> {
            let is_other = |other: &&SiteCandidate| not.is_none_or(|not| !is_inside(&other.site, not));
            self.like.iter().filter(is_other).cloned().collect()
        };
        match (self.instead, self.stood) {
            (Some(guess), _) => {
                let candidates = like(Some(&guess));
                Position::Outdated { guess, why: Outdating::Replaced, confidence, candidates }
            }
            (None, Some(guess)) if alone && self.is_empty => {
                let candidates = like(Some(&guess));
                Position::Outdated { guess, why: Outdating::Deleted, confidence, candidates }
            }
            (None, stood) => {
                let mut candidates = like(stood.as_ref());
                if let Some(site) = stood {
                    candidates.insert(0, SiteCandidate { site, confidence });
                }
                Position::Orphaned { why, candidates }
            }
        }
    }
}
