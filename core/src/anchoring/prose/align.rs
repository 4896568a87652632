//! Lays a pattern over the part of a text that it fits best.
//!
//! Quadratic in what it is given: callers bound both.

use std::ops::Range;

use rapidfuzz::distance::levenshtein;

/// What an edit costs; more than all characters that an edit leaves without a twin, so that of two
/// ways with as many edits the one wins that keeps more of the pattern.
const EDIT: usize = 1 << 16;

/// How one character of the pattern was reached, from the best way there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlignStep {
    /// Stands for a character of the text, the same or another.
    Both,
    /// Stands for nothing.
    PatternOnly,
    /// A character of the text that nothing stands for.
    TextOnly,
}

/// Returns where `pattern[part]` lies in `text` when the whole pattern is laid where it costs least.
///
/// The text may go on before and after at no cost. `None` if no character of the part has a
/// counterpart. Of ways with as many edits the one that keeps most characters is taken, then the one
/// that replaces rather than drops them, then the earliest.
pub(super) fn lay(pattern: &[char], part: &Range<usize>, text: &[char]) -> Option<Range<usize>> {
    let width = text.len() + 1;
    let mut steps = vec![AlignStep::PatternOnly; (pattern.len() + 1) * width];
    let mut row = vec![0_usize; width];
    for (line, c) in pattern.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = (line + 1) * (EDIT + 1);
        let reached = &mut steps[(line + 1) * width..(line + 2) * width];
        for (column, other) in text.iter().enumerate() {
            let both = if c == other { diagonal } else { diagonal + EDIT + 1 };
            let (pattern_only, text_only) = (row[column + 1] + EDIT + 1, row[column] + EDIT);
            diagonal = row[column + 1];
            let best = both.min(pattern_only).min(text_only);
            row[column + 1] = best;
            reached[column + 1] = if best == both {
                AlignStep::Both
            } else if best == pattern_only {
                AlignStep::PatternOnly
            } else {
                AlignStep::TextOnly
            };
        }
    }
    let (mut column, _) = row.iter().enumerate().min_by_key(|(_, cost)| **cost)?;
    let mut line = pattern.len();
    let mut place: Option<Range<usize>> = None;
    while line > 0 {
        match steps[line * width + column] {
            AlignStep::Both => {
                line -= 1;
                column -= 1;
                if part.contains(&line) {
                    let end = place.map_or(column + 1, |place| place.end);
                    place = Some(column..end);
                }
            }
            AlignStep::PatternOnly => line -= 1,
            AlignStep::TextOnly => column -= 1,
        }
    }
    place
}

/// How alike two sequences are, per mille: one minus the edit distance by the longer length.
pub(super) fn similarity(one: &[char], other: &[char]) -> usize {
    let longer = one.len().max(other.len());
    let distance = levenshtein::distance(one.iter().copied(), other.iter().copied());
    ((longer - distance.min(longer)) * 1000).checked_div(longer).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, exact: &str, after: &str, text: &str, place: &str) {
        let pattern: Vec<char> = [before, exact, after].concat().chars().collect();
        let start = before.chars().count();
        let text: Vec<char> = text.chars().collect();
        let found = lay(&pattern, &(start..start + exact.chars().count()), &text);
        let read = found.map(|range| text[range].iter().collect::<String>());
        assert_eq!(read.as_deref(), Some(place), "{exact:?}");
    }

    #[test]
    fn a_quote_is_laid_where_its_sides_stand() {
        check(
            "noon. ",
            "Check the valve",
            ". Then",
            "At noon. Check the main valve. Then",
            "Check the main valve",
        );
        check("", "some years", "", "for many years now", "many years");
        check("a. ", "valve", ". b", "a. Please valve. b", "valve");
        check("start ", "one two", " end", "x start one 2 end", "one 2");
    }

    #[test]
    fn a_part_without_counterpart_has_no_place() {
        let pattern: Vec<char> = "abXcd".chars().collect();
        assert_eq!(lay(&pattern, &(2..3), &['a', 'b', 'c', 'd']), None);
    }

    #[test]
    fn similarity_counts_edits_by_the_longer_text() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(similarity(&chars("abcd"), &chars("abcd")), 1000);
        assert_eq!(similarity(&chars("abcd"), &chars("abed")), 750);
        assert_eq!(similarity(&chars("abcd"), &chars("")), 0);
        assert_eq!(similarity(&[], &[]), 1000);
    }
}
