//! How well what is around a place agrees with what a quote says was there.
//!
//! Scores are per mille. A side that the quote says nothing about is left out.

use std::ops::Range;

use super::normal::Normal;
use crate::record::Quote;

/// Below this, a side speaks against a place: two unrelated sentences are this much alike by chance.
pub(super) const AGREES: usize = 400;

/// More of a side than this is not looked at; the quotes made here have less.
const MAX_SIDE_CHARS: usize = 64;

/// What a quote says of both sides, folded, the character next to the quote first.
#[derive(Debug)]
pub(super) struct QuoteSides {
    before: Vec<char>,
    after: Vec<char>,
}

/// The agreement on both sides, `None` if the quote says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContextMatch {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

impl QuoteSides {
    pub(super) fn new(quote: &Quote) -> Self {
        let before = Normal::new(&quote.prefix);
        let after = Normal::new(&quote.suffix);
        Self {
            before: before.folded().iter().rev().take(MAX_SIDE_CHARS).copied().collect(),
            after: after.folded().iter().take(MAX_SIDE_CHARS).copied().collect(),
        }
    }

    /// What was before the quote, in reading order.
    pub(super) fn before(&self) -> Vec<char> {
        self.before.iter().rev().copied().collect()
    }

    /// What was after it.
    pub(super) fn after(&self) -> &[char] {
        &self.after
    }

    /// Compares both sides of a place in `text`.
    pub(super) fn around(&self, text: &[char], place: &Range<usize>) -> ContextMatch {
        let before = agreement(&self.before, text[..place.start].iter().rev().copied());
        let after = agreement(&self.after, text[place.end..].iter().copied());
        match (before, after) {
            (SideMatch::Ended | SideMatch::Untold, SideMatch::Ended | SideMatch::Untold) => {
                ContextMatch { before: None, after: None }
            }
            (before, after) => ContextMatch { before: before.per_mille(), after: after.per_mille() },
        }
    }

    /// How many characters next to the place are the same: a cheap first look at many places.
    pub(super) fn run_around(&self, text: &[char], place: &Range<usize>) -> usize {
        run(&self.before, text[..place.start].iter().rev().copied())
            + run(&self.after, text[place.end..].iter().copied())
    }
}

impl ContextMatch {
    /// Counts a side that is literally as quoted as agreeing, for a place with the quote's very words.
    ///
    /// Normalising may have joined that side with the quote, as in the middle of `---`.
    pub(super) fn or_literal(self, quote: &Quote, text: &str, place: &Range<usize>) -> Self {
        let literal = |side: Option<usize>, stands: bool| side.map(|side| if stands { 1000 } else { side });
        Self {
            before: literal(self.before, text[..place.start].ends_with(&quote.prefix)),
            after: literal(self.after, text[place.end..].starts_with(&quote.suffix)),
        }
    }

    /// The mean of the sides that are quoted, `None` if none is.
    pub(super) fn mean(self) -> Option<usize> {
        match (self.before, self.after) {
            (Some(before), Some(after)) => Some(before.midpoint(after)),
            (side, None) | (None, side) => side,
        }
    }

    /// Whether some side is exactly as quoted, and none differs.
    pub(super) fn is_perfect(self) -> bool {
        self.mean() == Some(1000)
    }

    /// Whether both sides are quoted and agree at least this much.
    pub(super) fn encloses(self, least: usize) -> bool {
        self.before.is_some_and(|side| side >= least) && self.after.is_some_and(|side| side >= least)
    }

    /// Whether sides are quoted, and every one of them speaks against the place.
    pub(super) fn denies(self) -> bool {
        let sides = [self.before, self.after];
        self.mean().is_some() && sides.into_iter().flatten().all(|side| side < AGREES)
    }
}

fn run(told: &[char], text: impl Iterator<Item = char>) -> usize {
    let text = text.skip_while(|c| *c == ' ');
    told.iter().zip(text).take_while(|(told, here)| *told == here).count()
}

/// What came of comparing one side.
#[derive(Clone, Copy)]
enum SideMatch {
    /// The quote says nothing of it.
    Untold,
    /// The text ends here, which neither agrees nor disagrees.
    Ended,
    /// So much of it is there, per mille.
    Agrees(usize),
}

impl SideMatch {
    fn per_mille(self) -> Option<usize> {
        match self {
            Self::Untold => None,
            Self::Ended => Some(AGREES),
            Self::Agrees(alike) => Some(alike),
        }
    }
}

/// Compares what was quoted with what is there, from the quote's edge outwards.
fn agreement(told: &[char], text: impl Iterator<Item = char>) -> SideMatch {
    if told.is_empty() {
        return SideMatch::Untold;
    }
    // A side may have grown: the told text may end anywhere in half as much again.
    let here: Vec<char> = text.skip_while(|c| *c == ' ').take(told.len() + told.len() / 2).collect();
    if here.is_empty() {
        return SideMatch::Ended;
    }
    let known = &told[..told.len().min(here.len())];
    let alike = (known.len() - anchored_distance(known, &here).min(known.len())) * 1000 / known.len();
    // A side that was cut off cannot prove as much as a whole one.
    SideMatch::Agrees(if known.len() < told.len() { alike.min(900) } else { alike })
}

/// The edit distance of `told` to the best-fitting start of `here`.
fn anchored_distance(told: &[char], here: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=here.len()).collect();
    for (line, c) in told.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in here.iter().enumerate() {
            let replaced = diagonal + usize::from(c != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.into_iter().min().unwrap_or(told.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, exact: &str, prefix: &str, suffix: &str) -> ContextMatch {
        let quote = Quote { exact: exact.into(), prefix: prefix.into(), suffix: suffix.into() };
        let text: Vec<char> = text.chars().collect();
        let start = text.iter().collect::<String>().find(exact).expect("the quote is there");
        QuoteSides::new(&quote).around(&text, &(start..start + exact.len()))
    }

    #[test]
    fn sides_are_compared_from_the_quote_outwards() {
        assert!(around("one two three", "two", "One ", " three").is_perfect());
        assert!(around("one two three", "two", "one", "three").is_perfect(), "blanks do not count");
        assert_eq!(around("one two three", "two", "", "").mean(), None);
        let edited = around("now we had everything before us", "before", "we had every-thing ", " us");
        assert!(edited.before > Some(900) && edited.before < Some(1000), "{edited:?}");
        assert!(around("one two three", "two", "zebra crossing", "quagmire").denies());
    }

    #[test]
    fn a_side_that_is_cut_off_neither_proves_nor_denies() {
        assert_eq!(around("some text", "text", "", "gone").mean(), None);
        assert_eq!(around("some text", "text", "some", "gone").after, Some(AGREES));
        assert_eq!(around("many years", "years", "it used to be many ", "").before, Some(900));
    }
}
