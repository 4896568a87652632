//! Chooses between the places where a quote could be.
//!
//! A place is believed when it is above a floor and clear of the runner-up. Places that are
//! close together are distinguished by their headings, then by distance; what still ties is not taken.

use std::ops::Range;

use super::context::{AGREES, ContextMatch};
use super::find::{ExpectedPlace, QuoteLikeness};
use super::floor::TELLS_ITSELF;
use crate::edit::markdown::{Outline, SectionKinship};

/// How much more evidence, of 4000, the best place needs to win by its text alone.
const MARGIN: usize = 90;

/// A place where a quote could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QuoteCandidate {
    /// In bytes of the text.
    pub(super) place: Range<usize>,
    pub(super) likeness: QuoteLikeness,
    pub(super) context: ContextMatch,
}

/// What came of a choice.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QuoteChoice {
    /// One place stands out.
    Clear(QuoteCandidate),
    /// Several could be meant.
    Tied,
    /// There was nothing to choose from.
    Nothing,
}

impl QuoteCandidate {
    /// What speaks for the place, of 4000: three parts its text, one part what is around it.
    pub(super) fn evidence(&self) -> usize {
        3 * self.likeness.per_mille() + self.context.mean().unwrap_or(AGREES)
    }

    /// Whether the two share more than half of the shorter one.
    pub(super) fn covers_mostly(&self, other: &Self) -> bool {
        let (one, other) = (&self.place, &other.place);
        let shared = one.end.min(other.end).saturating_sub(one.start.max(other.start));
        2 * shared > one.len().min(other.len())
    }
}

/// Sorts by evidence, the best first, and drops what mostly overlaps a better place.
pub(super) fn distinct(mut candidates: Vec<QuoteCandidate>) -> Vec<QuoteCandidate> {
    candidates.sort_by_key(|candidate| {
        let rank = (candidate.evidence(), candidate.likeness.per_mille());
        (std::cmp::Reverse(rank), candidate.place.start, candidate.place.end)
    });
    let mut kept: Vec<QuoteCandidate> = Vec::new();
    for candidate in candidates {
        if !kept.iter().any(|better| better.covers_mostly(&candidate)) {
            kept.push(candidate);
        }
    }
    kept
}

/// Chooses one of `candidates` for a quote that says this much.
pub(super) fn choose(
    candidates: &[QuoteCandidate],
    weight: usize,
    outline: Option<&Outline>,
    expected: &ExpectedPlace<'_>,
) -> QuoteChoice {
    // Where all are among strangers, how alike these are by chance must not tell long quotes apart.
    let are_foreign = weight >= TELLS_ITSELF && candidates.iter().all(QuoteCandidate::is_foreign);
    let evidence = |candidate: &QuoteCandidate| {
        if are_foreign { 3 * candidate.likeness.per_mille() } else { candidate.evidence() }
    };
    let Some(most) = candidates.iter().map(evidence).max() else { return QuoteChoice::Nothing };
    let is_certain = |candidate: &QuoteCandidate| {
        candidate.likeness == QuoteLikeness::Literal && candidate.context.is_perfect()
    };
    let mut left: Vec<&QuoteCandidate> =
        candidates.iter().filter(|candidate| is_certain(candidate)).collect();
    if left.is_empty() {
        left = candidates.iter().filter(|candidate| evidence(candidate) + MARGIN > most).collect();
    }
    if let [only] = left[..] {
        return QuoteChoice::Clear(only.clone());
    }
    if weight < TELLS_ITSELF && left.iter().all(|candidate| candidate.context.denies()) {
        // Several that nothing around them speaks for: the one that was meant is likely gone.
        return QuoteChoice::Tied;
    }
    if let (Some(outline), Some(path)) = (outline, expected.headings) {
        let kinship = |candidate: &QuoteCandidate| outline.kinship(candidate.place.start, path);
        let closest = left.iter().map(|candidate| kinship(candidate)).max().unwrap_or(SectionKinship::None);
        left.retain(|candidate| kinship(candidate) == closest);
    }
    if let Some(near) = expected.near {
        let distance = |candidate: &QuoteCandidate| candidate.place.start.abs_diff(near);
        let nearest = left.iter().map(|candidate| distance(candidate)).min().unwrap_or(0);
        left.retain(|candidate| distance(candidate) == nearest);
    }
    match left[..] {
        [only] => QuoteChoice::Clear(only.clone()),
        _ => QuoteChoice::Tied,
    }
}
