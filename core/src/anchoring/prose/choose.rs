//! Chooses between the places where a quote could be.
//!
//! A place is believed when it stands above a floor and clear of the runner-up. Places that stand
//! close together are told apart by their headings, then by distance; what still ties is nobody's.

use std::ops::Range;

use super::context::{AGREES, Context};
use super::find::{Expected, Likeness};
use crate::edit::markdown::{Kinship, Outline};

/// How much more evidence, of 4000, the best place needs to win by its text alone.
const MARGIN: usize = 90;

/// A quote with fewer letters and digits proves nothing where what stands around it is denied.
const TELLING_WEIGHT: usize = 12;

/// A quote with fewer is looked for by similarity only where what stands around it is there.
const SHORT_WEIGHT: usize = 6;

/// A place where a quote could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// In bytes of the text.
    pub(super) place: Range<usize>,
    pub(super) likeness: Likeness,
    pub(super) context: Context,
}

/// What came of a choice.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One place stands out.
    Clear(Candidate),
    /// Several could be meant.
    Tied,
    /// There was nothing to choose from.
    Nothing,
}

impl Candidate {
    /// What speaks for the place, of 4000: three parts its text, one part what stands around it.
    pub(super) fn evidence(&self) -> usize {
        3 * self.likeness.per_mille() + self.context.mean().unwrap_or(AGREES)
    }

    /// Whether the place may be taken at all, for a quote of this weight.
    pub(super) fn is_above_floor(&self, weight: usize) -> bool {
        let alike = self.likeness.per_mille();
        let floor = match self.context.mean() {
            None if weight < SHORT_WEIGHT => 1000,
            None => 600,
            Some(_) if weight >= SHORT_WEIGHT && self.context.encloses(900) => 400,
            Some(mean) if mean >= 700 => 500,
            Some(mean) if mean >= 500 && weight >= SHORT_WEIGHT => 500,
            Some(_) if weight >= TELLING_WEIGHT || !self.context.denies() => 750,
            Some(_) => return false,
        };
        alike >= floor
    }
}

/// Sorts by evidence, the best first, and drops what mostly overlaps a better place.
pub(super) fn distinct(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| {
        let rank = (candidate.evidence(), candidate.likeness.per_mille());
        (std::cmp::Reverse(rank), candidate.place.start, candidate.place.end)
    });
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if !kept.iter().any(|better| overlap_mostly(&better.place, &candidate.place)) {
            kept.push(candidate);
        }
    }
    kept
}

fn overlap_mostly(one: &Range<usize>, other: &Range<usize>) -> bool {
    let shared = one.end.min(other.end).saturating_sub(one.start.max(other.start));
    2 * shared > one.len().min(other.len())
}

/// Chooses one of `candidates`.
pub(super) fn choose(candidates: &[Candidate], outline: Option<&Outline>, expected: &Expected<'_>) -> Choice {
    let Some(most) = candidates.iter().map(Candidate::evidence).max() else { return Choice::Nothing };
    let is_certain =
        |candidate: &Candidate| candidate.likeness == Likeness::Literal && candidate.context.is_perfect();
    let mut left: Vec<&Candidate> = candidates.iter().filter(|candidate| is_certain(candidate)).collect();
    if left.is_empty() {
        left = candidates.iter().filter(|candidate| candidate.evidence() + MARGIN > most).collect();
    }
    if let [only] = left[..] {
        return Choice::Clear(only.clone());
    }
    if left.iter().all(|candidate| candidate.context.denies()) {
        // Several that nothing around them speaks for: the one that was meant is likely gone.
        return Choice::Tied;
    }
    if let (Some(outline), Some(path)) = (outline, expected.headings) {
        let kinship = |candidate: &Candidate| outline.kinship(candidate.place.start, path);
        let closest = left.iter().map(|candidate| kinship(candidate)).max().unwrap_or(Kinship::None);
        left.retain(|candidate| kinship(candidate) == closest);
    }
    if let Some(near) = expected.near {
        let distance = |candidate: &Candidate| candidate.place.start.abs_diff(near);
        let nearest = left.iter().map(|candidate| distance(candidate)).min().unwrap_or(0);
        left.retain(|candidate| distance(candidate) == nearest);
    }
    match left[..] {
        [only] => Choice::Clear(only.clone()),
        _ => Choice::Tied,
    }
}

/// How much a quote tells: its letters and digits, those of scripts without spaces three times.
pub(super) fn weight(quote: &[char]) -> usize {
    let telling = quote.iter().filter(|c| c.is_alphanumeric());
    telling.map(|c| if u32::from(*c) >= 0x2e80 { 3 } else { 1 }).sum()
}
