//! Finds the fresh line that a line which is gone became.
//!
//! Mutual best: the line must be the best for the old one, and no other line that is gone may fit
//! it better.

use crate::edit::is_blank;

use super::comparison::Comparison;
use super::evidence::Evidence;
use crate::anchoring::lines::region::LineRegion;
use crate::anchoring::lines::statement::{StatementRelation, says_more_than_keywords};

/// How many candidates of one line are judged in full.
const MAX_JUDGED: usize = 12;

/// How many gone lines compete for one fresh line; those that share most words come first.
const MAX_RIVALS: usize = 24;

/// What a line of keywords alone must score to be known where it was not.
const LIGHT_SCORE: f64 = 0.85;

/// Lines at most this far apart can be joined into one.
const JOINED_WITHIN: u32 = 3;

/// The fresh line that an old line became.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineMatch {
    pub line: u32,
    pub evidence: Evidence,
}

impl LineMatch {
    /// A line that the diff kept.
    pub fn kept(line: u32) -> Self {
        let evidence = Evidence {
            content: 1.0,
            above: 1.0,
            below: 1.0,
            parent: 1.0,
            body: None,
            in_place: true,
            kinship: StatementRelation::SameKind,
            distinct: true,
        };
        Self { line, evidence }
    }
}

/// Finds the fresh line that `line` became: the best for it that no other gone line fits better.
///
/// A declaration is where its name is declared, even if more of its text went elsewhere, as when
/// `int a = f();` became `int a;` and `a = f();`.
pub(crate) fn find_line(pair: &Comparison, line: u32, region: &LineRegion) -> Option<LineMatch> {
    if pair.old_words(line).is_blank() {
        return None;
    }
    let mut judged = judge(pair, line);
    judged.sort_by_key(|found| found.evidence.kinship != StatementRelation::SameName);
    let score = |at: usize| judged.get(at).map(|found| found.evidence.score());
    let layer = if pair.map().is_some() { "file" } else { "other-file" };
    tracing::debug!(layer, candidates = judged.len(), score = score(0), runner_up = score(1), "searched");
    judged
        .into_iter()
        .filter(|found| found.evidence.is_defensible())
        .filter(|found| found.evidence.in_place || region.first != region.last || is_known(pair, line, found))
        .find(|found| is_mutual(pair, line, found, region))
}

/// Whether a single line that is elsewhere can be known there.
///
/// A bracket by itself proves nothing, and `continue` only among what was around it. As a part of a block they have the
/// rest of that to go by.
fn is_known(pair: &Comparison, line: u32, found: &LineMatch) -> bool {
    says_more_than_keywords(pair.old.bare(line)) || found.evidence.score() >= LIGHT_SCORE
}

/// Judges the candidates of a line; the best comes first.
pub(crate) fn judge(pair: &Comparison, line: u32) -> Vec<LineMatch> {
    let mut judged: Vec<LineMatch> = candidates(pair, line)
        .into_iter()
        .map(|new| LineMatch { line: new, evidence: pair.evidence(line, new) })
        .collect();
    judged
        .sort_by(|a, b| b.evidence.score().total_cmp(&a.evidence.score()).then_with(|| a.line.cmp(&b.line)));
    judged
}

/// The fresh lines worth judging: those that share most words, and those in place.
fn candidates(pair: &Comparison, line: u32) -> Vec<u32> {
    let gap = pair.gap(line).unwrap_or(0..0);
    let mut ranked: Vec<(f64, u32)> = pair
        .fresh_like(line)
        .into_iter()
        .filter(|new| !is_blank(pair.new.bare(*new)))
        .map(|new| (pair.shared_words(line, new) + if gap.contains(&new) { 0.2 } else { 0.0 }, new))
        .filter(|(shared, _)| *shared > 0.2)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.truncate(MAX_JUDGED);
    ranked.into_iter().map(|(_, new)| new).collect()
}

/// Whether no other line that is gone fits `found` better.
fn is_mutual(pair: &Comparison, line: u32, found: &LineMatch, region: &LineRegion) -> bool {
    let score = found.evidence.score();
    let mut rivals: Vec<(f64, u32)> = pair
        .gone_like(found.line)
        .into_iter()
        .filter(|other| *other != line && !(region.first != region.last && region.contains(*other)))
        .map(|other| (pair.shared_words(other, found.line), other))
        .filter(|(shared, _)| *shared > found.evidence.content - 0.25)
        .collect();
    rivals.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rivals.truncate(MAX_RIVALS);
    // A line that has a better place of its own is no rival.
    rivals.into_iter().all(|(_, other)| {
        pair.evidence(other, found.line).score() <= score
            || (other.abs_diff(line) <= JOINED_WITHIN && pair.are_joined(line, other, found.line))
            || pair.favourite(other, || judge(pair, other).first().map(|best| best.line)) != Some(found.line)
    })
}
