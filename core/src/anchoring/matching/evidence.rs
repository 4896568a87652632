//! How well a fresh line fits a line that is gone: its text, and everything that is around it.
//!
//! Judges pairs; choosing among pairs is `trace`'s work.

use std::collections::HashSet;

use crate::edit::{Text, normal_hash};

use super::comparison::Comparison;
use crate::anchoring::lines::scope;
use crate::anchoring::lines::statement::{StatementRelation, kinship};

/// A candidate that scores less is not a place, if both lines are of no kind that is known.
///
/// From 0.45 to 0.55 the same lines are found.
pub(crate) const FLOOR: f64 = 0.5;

/// A candidate that scores less is not a place, if both are statements of one kind, or declare one name.
///
/// At 0.43 two of 868 hard lines of one-commit cases less are found.
const KIN_FLOOR: f64 = 0.4;

/// A candidate that scores less is not a place, if both are declarations, but of two names.
///
/// At 0.5 0.8% less of the hard lines of one-commit cases are found, and 0.7% less of what is gone is
/// guessed at; at 0.4 twice as many lines of random histories are mistaken for another.
const OTHER_NAME_FLOOR: f64 = 0.43;

/// A candidate that scores less is not a place, if the two statements are not known to be of one kind.
///
/// At 0.5 the same lines are found, and 1.4% more of what is gone is guessed at.
const STRANGER_FLOOR: f64 = 0.6;

/// How far the same declared name makes up for other text.
///
/// From 0.3 to 0.5 the same lines are found; without it, 0.9% less.
const SAME_NAME: f64 = 0.3;

/// What is left of the likeness of two statements of different kinds.
///
/// With both at 1, guesses at what is gone are 0.7% more, for 0.1% more that is found.
const OTHER_KIND: f64 = 0.4;

/// What is left of it where only one of them is of a kind that is known.
const UNKNOWN_KIND: f64 = 0.65;

/// What a line's words must weigh for the line to be known by its text alone.
///
/// Of the lines that are in their file once more but in other surroundings, none is another one
/// from 2 on; of the lighter ones (`try {`) most are.
const DISTINCT_WEIGHT: f64 = 2.0;

/// How alike the enclosing lines must be for two declarations to be in the same block.
const SAME_BLOCK: f64 = 0.5;

/// How many filled lines above and below a line count as its context.
const CONTEXT: usize = 3;

/// The share of a line's words that must be in another for the two to be joined or split lines.
const JOINED_SHARE: f64 = 0.6;

/// The share of words that two unrelated blocks of one file have in common.
const COMMON_WORDS: f64 = 0.3;

/// What speaks for a new line being an old one, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// The text of the line itself.
    pub content: f64,
    /// The lines above.
    pub above: f64,
    /// The lines below.
    pub below: f64,
    /// The line that opens the enclosing block.
    pub parent: f64,
    /// The block that the line opens; `None` if neither opens one.
    pub body: Option<f64>,
    /// Whether it is where the diff saw the old line vanish.
    pub in_place: bool,
    /// How the two statements are related; names only count in the same block.
    pub kinship: StatementRelation,
    /// Whether the old line says enough to be known by its text alone.
    pub distinct: bool,
}

impl Evidence {
    /// Judges an old and a new line.
    pub fn of(pair: &Comparison, old: u32, new: u32) -> Self {
        let in_place = pair.gap(old).is_some_and(|gap| gap.contains(&new));
        let parent = enclosing(pair, old, new);
        let mut content = pair.similarity(old, new);
        let mut kinship = kinship(pair.old.bare(old), pair.new.bare(new));
        match kinship {
            StatementRelation::SameName if in_place || parent >= SAME_BLOCK => {
                content += SAME_NAME * (1.0 - content);
            }
            // A name that is declared in another block is another thing.
            StatementRelation::SameName => kinship = StatementRelation::OtherName,
            StatementRelation::SameKind | StatementRelation::OtherName | StatementRelation::NoKind => {}
            _ if content >= 1.0 => {}
            StatementRelation::Unknown => content *= UNKNOWN_KIND,
            StatementRelation::OtherKind => content *= OTHER_KIND,
        }
        if in_place {
            let contained = pair.contained(old, new);
            if contained >= JOINED_SHARE {
                content = content.max(0.9 * contained);
            }
        }
        Self {
            content,
            above: around(pair, old, new, -1),
            below: around(pair, old, new, 1),
            parent,
            body: opened(pair, old, new),
            in_place,
            kinship,
            distinct: pair.weight(old) >= DISTINCT_WEIGHT,
        }
    }

    /// The line itself, with the block that it opens: a block is its head and its body.
    pub fn identity(&self) -> f64 {
        match self.body {
            Some(body) => 0.55 * self.content + 0.45 * body,
            None => self.content,
        }
    }

    /// What is around, from 0 to 1.
    pub fn context(&self) -> f64 {
        let place = if self.in_place { 1.0 } else { 0.0 };
        (self.above + self.below + self.parent + place) / 4.0
    }

    /// All of it, from 0 to 1.
    pub fn score(&self) -> f64 {
        0.6 * self.identity() + 0.4 * self.context()
    }

    /// Whether the place can be defended as a guess: by its score, as most of the text in the same
    /// enclosing block, or as all of a text that says much, whatever became of the lines around.
    pub fn is_defensible(&self) -> bool {
        let floor = match self.kinship {
            StatementRelation::SameName | StatementRelation::SameKind => KIN_FLOOR,
            StatementRelation::OtherName => OTHER_NAME_FLOOR,
            StatementRelation::NoKind => FLOOR,
            StatementRelation::Unknown | StatementRelation::OtherKind => STRANGER_FLOOR,
        };
        self.score() >= floor
            || (self.content >= 1.0 && self.distinct)
            || (self.content >= 0.7 && self.parent >= 0.9)
    }
}

/// How far two context lines agree.
fn agreement(pair: &Comparison, old: u32, new: u32) -> f64 {
    match pair.kept(old) {
        Some(kept) if kept == new => 1.0,
        Some(_) => 0.0,
        None => pair.similarity(old, new),
    }
}

/// Compares the nearest lines in one direction; nearer ones count more, and one may be new.
fn around(pair: &Comparison, old: u32, new: u32, step: i64) -> f64 {
    let olds = Comparison::filled(&pair.old, old, step, CONTEXT);
    let news = Comparison::filled(&pair.new, new, step, CONTEXT + 1);
    if olds.is_empty() || news.is_empty() {
        return if olds.is_empty() && news.is_empty() { 1.0 } else { 0.0 };
    }
    let (mut sum, mut weight) = (0.0, 0.0);
    for (index, old) in olds.iter().enumerate() {
        let near = index.saturating_sub(1)..(index + 2).min(news.len());
        let best = near.map(|at| agreement(pair, *old, news[at])).fold(0.0, f64::max);
        let share = (CONTEXT - index) as f64;
        sum += share * best;
        weight += share;
    }
    sum / weight
}

/// Compares the lines that open the enclosing blocks.
fn enclosing(pair: &Comparison, old: u32, new: u32) -> f64 {
    match (scope::parent(&pair.old, old), scope::parent(&pair.new, new)) {
        (None, None) => 1.0,
        (Some(old), Some(new)) => agreement(pair, old, new),
        _ => 0.0,
    }
}

/// Compares the blocks that the two lines open: the share of their lines that is in both.
fn opened(pair: &Comparison, old: u32, new: u32) -> Option<f64> {
    let (olds, news) = (scope::body(&pair.old, old), scope::body(&pair.new, new));
    if olds.is_empty() && news.is_empty() {
        return None;
    }
    let there: HashSet<u64> = news.clone().map(|line| normal_hash(pair.new.bare(line))).collect();
    let weigh = |text: &Text, line: u32| text.bare(line).trim_ascii().len().min(40) as f64;
    let (mut shared, mut all) = (0.0, 0.0);
    for line in olds.clone() {
        let weight = weigh(&pair.old, line);
        all += weight;
        let is_there = match pair.kept(line) {
            Some(kept) => news.contains(&kept),
            None => there.contains(&normal_hash(pair.old.bare(line))),
        };
        if is_there {
            shared += weight;
        }
    }
    all += news.clone().map(|line| weigh(&pair.new, line)).sum::<f64>();
    let lines = if all == 0.0 { 0.0 } else { (2.0 * shared / all).min(1.0) };
    let words = (pair.shared_bag(olds, news) - COMMON_WORDS).max(0.0) / (1.0 - COMMON_WORDS);
    Some(lines.max(words))
}
