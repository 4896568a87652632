//! Decides from their words alone which files are worth comparing with a region that left its own.
//!
//! A file that lacks half of what the region and its surroundings say cannot hold it. Where in a file it is,
//! and how well it fits there, is `trace`'s work.

use std::ops::Range;

use crate::edit::{Text, TokenKind, tokens};

use super::region::LineRegion;

/// The share of what a line says that a file must say too.
///
/// Of 3,700 cases from real histories every one was answered as without this rule.
const SAID_SHARE: f64 = 0.5;

/// How many lines above a region's first one, and after it, count as its surroundings.
const SURROUNDINGS: (u32, u32) = (4, 8);

/// Words after so many bytes of a line are not looked at.
const MAX_LINE_BYTES: usize = 4 << 10;

/// The words of some lines of a text, each once.
#[derive(Debug, Default)]
pub(crate) struct WordSet(Vec<u64>);

impl WordSet {
    /// What some runs of lines say.
    pub fn of_lines(text: &Text, runs: impl IntoIterator<Item = Range<u32>>) -> Self {
        let mut words: Vec<u64> = Vec::new();
        for line in runs.into_iter().flatten() {
            words.extend(words_of(text.bare(line)).map(|(word, _)| word));
        }
        words.sort_unstable();
        words.dedup();
        Self(words)
    }
}

/// What a region says, and what is said around it, with the weight of each word.
#[derive(Debug)]
pub(crate) struct WordFilter {
    line: Vec<(u64, u32)>,
    surroundings: Vec<(u64, u32)>,
}

impl WordFilter {
    /// What the first line of a region and the lines around it say.
    pub fn of(text: &Text, region: &LineRegion) -> Self {
        let words = |lines: Range<u32>| {
            let mut words: Vec<(u64, u32)> = lines.flat_map(|line| words_of(text.bare(line))).collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let around = region.first.saturating_sub(SURROUNDINGS.0)..region.first + 1 + SURROUNDINGS.1;
        Self { line: words(region.first..region.first + 1), surroundings: words(around) }
    }

    /// Whether so much of it is said that the region can be there.
    pub fn is_in(&self, file: &WordSet) -> bool {
        [&self.line, &self.surroundings].into_iter().any(|wanted| {
            let all: u32 = wanted.iter().map(|(_, weight)| weight).sum();
            let mut lacking = 0;
            // Most files lack most of it, and need no look at the rest.
            all > 0
                && wanted.iter().all(|(word, weight)| {
                    lacking += if file.0.binary_search(word).is_ok() { 0 } else { *weight };
                    f64::from(all - lacking) >= SAID_SHARE * f64::from(all)
                })
        })
    }
}

/// The words and numbers of a line and what they weigh: long words say more than short ones.
fn words_of(line: &[u8]) -> impl Iterator<Item = (u64, u32)> + '_ {
    let line = &line[..line.len().min(MAX_LINE_BYTES)];
    tokens(line).filter(|token| token.kind != TokenKind::Mark).map(|token| {
        let word = &line[token.range()];
        (hash(word), 16 + word.len().min(16) as u32)
    })
}

/// FNV-1a: the same on every machine, and what two words share by chance only costs a comparison.
fn hash(word: &[u8]) -> u64 {
    word.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_half_of_a_line_or_of_what_stood_around_it_is_worth_a_look() {
        let old =
            Text::new("fn first() {\n    gateway.connect(timeout, retries);\n    journal.close();\n}\n");
        let wanted = WordFilter::of(&old, &LineRegion { first: 1, last: 1, columns: None });
        let check = |new: &str, expected| {
            let new = Text::new(new);
            assert_eq!(wanted.is_in(&WordSet::of_lines(&new, std::iter::once(0..new.len()))), expected);
        };
        check("x();\ngateway.connect(timeout);\n", true);
        check("fn first() {\n    other();\n    journal.close();\n    // timeout\n}\n", true);
        check("gateway.stop();\n", false);
        check("", false);
    }

    #[test]
    fn only_the_named_lines_count() {
        let text = Text::new("alpha\nbeta\ngamma\n");
        let wanted = WordFilter::of(&Text::new("beta\n"), &LineRegion::START);
        assert!(wanted.is_in(&WordSet::of_lines(&text, std::iter::once(1..2))));
        assert!(!wanted.is_in(&WordSet::of_lines(&text, [0..1, 2..3])));
    }
}
