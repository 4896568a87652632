//! What one notification of an editor did to a text: which lines are the same, and which are new.
//!
//! Only the text before and the text after count. Editors send the same change in different ways: one replaces the whole
//! text where another sends small edits.

use postil_core::edit::{Algorithm, Hunk, LineMap, Text};

/// The way from one text to the next.
#[derive(Clone, Debug)]
pub struct TextStep {
    map: LineMap,
}

impl TextStep {
    /// Compares two texts; costs a comparison of their bytes, and a diff of the lines between their equal head and tail.
    pub fn between(before: &Text, after: &Text) -> Self {
        let (head, tail) = equal_ends(before, after);
        let old = head..before.len() - tail;
        let new = head..after.len() - tail;
        let hunks = if old.is_empty() || new.is_empty() {
            if old.is_empty() && new.is_empty() { Vec::new() } else { vec![Hunk { before: old, after: new }] }
        } else {
            inner_hunks(before, &old, after, &new)
        };
        let map = LineMap::from_hunks(hunks, before.len(), after.len());
        Self { map: map.expect("hunks between an equal head and an equal tail fit both texts") }
    }

    /// Which line is which.
    pub(crate) fn map(&self) -> &LineMap {
        &self.map
    }

    /// Whether every line is where it was.
    pub fn is_nothing(&self) -> bool {
        self.map.hunks().is_empty()
    }

    /// The runs of lines that are new in the text after.
    pub(crate) fn added(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        self.map.hunks().iter().map(|hunk| hunk.after.clone()).filter(|lines| !lines.is_empty())
    }
}

/// How many lines are equal at the beginning and, of the rest, at the end.
fn equal_ends(before: &Text, after: &Text) -> (u32, u32) {
    let (old, new) = (before.bytes(), after.bytes());
    let least = before.len().min(after.len());
    let same = equal_head(old, new);
    if same == old.len() && same == new.len() {
        return (least, 0);
    }
    // The line of the first difference is not equal, wherever in it the difference is.
    let head = line_of(before, same).min(line_of(after, same)).min(least);
    let same = equal_tail(old, new);
    let mut tail = lines_in_tail(before, same).min(lines_in_tail(after, same));
    tail = tail.min(least - head);
    (head, tail)
}

/// How many bytes are compared at once.
const PIECE: usize = 1024;

/// How many bytes are equal at the beginning.
fn equal_head(a: &[u8], b: &[u8]) -> usize {
    let pieces = a.chunks_exact(PIECE).zip(b.chunks_exact(PIECE)).take_while(|(a, b)| a == b).count() * PIECE;
    pieces + a[pieces..].iter().zip(&b[pieces..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes are equal at the end.
fn equal_tail(a: &[u8], b: &[u8]) -> usize {
    let pieces =
        a.rchunks_exact(PIECE).zip(b.rchunks_exact(PIECE)).take_while(|(a, b)| a == b).count() * PIECE;
    let (a, b) = (&a[..a.len() - pieces], &b[..b.len() - pieces]);
    pieces + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// How many whole lines end before the byte at `offset`.
fn line_of(text: &Text, offset: usize) -> u32 {
    let line = if offset >= text.bytes().len() { text.len() } else { text.line_at(offset) };
    // Without a newline at its end, the last line goes on.
    if line == text.len() && line > 0 && !text.bytes().ends_with(b"\n") { line - 1 } else { line }
}

/// How many whole lines the last `bytes` of a text have.
fn lines_in_tail(text: &Text, bytes: usize) -> u32 {
    let from = text.bytes().len() - bytes;
    let first = text.line_at(from);
    let is_whole = bytes > 0 && text.offset(first) == from;
    text.len().saturating_sub(first + u32::from(!is_whole))
}

/// The hunks between two runs of lines.
fn inner_hunks(
    before: &Text,
    old: &std::ops::Range<u32>,
    after: &Text,
    new: &std::ops::Range<u32>,
) -> Vec<Hunk> {
    let part = |text: &Text, lines: &std::ops::Range<u32>| {
        Text::new(&text.bytes()[text.offset(lines.start)..text.offset(lines.end)])
    };
    let map = LineMap::between(&part(before, old), &part(after, new), Algorithm::Histogram);
    let shifted = |lines: &std::ops::Range<u32>, by: u32| lines.start + by..lines.end + by;
    map.hunks()
        .iter()
        .map(|hunk| Hunk { before: shifted(&hunk.before, old.start), after: shifted(&hunk.after, new.start) })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Expects for each old line its new number, or `-`.
    fn check(before: &str, after: &str, expected: &str) {
        let step = TextStep::between(&Text::new(before), &Text::new(after));
        let lines = 0..Text::new(before).len();
        let found = lines.map(|line| step.map().kept(line).map_or("-".to_owned(), |new| new.to_string()));
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{before:?} to {after:?}");
    }

    #[test]
    fn lines_between_an_equal_head_and_an_equal_tail_are_compared() {
        check("a\nb\nc\n", "a\nb\nc\n", "0 1 2");
        check("a\nb\nc\n", "x\na\nb\nc\n", "1 2 3");
        check("a\nb\nc\n", "a\nc\n", "0 - 1");
        check("a\nb\nc\n", "a\nbx\nc\n", "0 - 2");
        check("a\nb\nc\n", "", "- - -");
        check("", "a\n", "");
        check("a\nb", "a\nb\n", "0 1");
        check("a\nb", "a\nbc", "0 -");
        check("ab\n", "b\n", "-");
        check("x\nab\n", "x\nb\n", "0 -");
    }

    #[test]
    fn a_copy_of_a_line_is_the_one_below_it() {
        check("a\nb\n", "a\na\nb\n", "0 2");
        check("\nb\n", "\n\nb\n", "0 2");
    }

    proptest! {
        #[test]
        fn a_line_that_is_kept_is_equal(
            before in proptest::collection::vec("[ab]?\n?", 0..12),
            after in proptest::collection::vec("[ab]?\n?", 0..12),
        ) {
            let (before, after) = (Text::new(before.concat()), Text::new(after.concat()));
            let step = TextStep::between(&before, &after);
            for line in 0..before.len() {
                if let Some(new) = step.map().kept(line) {
                    prop_assert_eq!(before.bare(line), after.bare(new));
                }
            }
        }
    }
}
