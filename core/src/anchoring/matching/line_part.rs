//! Finds the words of a part of a line in the line that it went to.
//!
//! Words that are still there are the place, exactly: what was added right before or after them stays outside. Which
//! line the old one went to is `trace`'s work.

use crate::edit::{Text, tokens};

use crate::anchoring::lines::region::{Bytes, LineRegion};

/// Longer lines are not searched for a part of them.
const MAX_LINE_BYTES: usize = 32 << 10;

/// Words that are in a line more often are not distinguished: each pair of places is compared.
const MAX_TWINS: usize = 64;

/// How many bytes on each side of a place count as its surroundings.
const AROUND_BYTES: usize = 256;

/// Finds the words of `was`, a part of one line, in the lines of `is`; `None` if they are not there as they were.
///
/// Of several such places the one that has most of what was around the words counts, then the nearest to where the ends
/// of the part went.
pub(crate) fn same_words(old: &Text, was: &LineRegion, new: &Text, is: &LineRegion) -> Option<LineRegion> {
    let columns = was.columns.filter(|_| was.first == was.last)?;
    let line = old.bare(was.first);
    let (start, end) = (columns.start as usize, (columns.end as usize).min(line.len()));
    let words = line.get(start..end).filter(|words| says_something(words))?;
    let around = |at: usize, text: &[u8], found: usize| {
        shared_end(before(line, at), before(text, found))
            + shared_start(behind(line, at + words.len()), behind(text, found + words.len()))
    };
    let twins: Vec<usize> = whole(line, words).into_iter().filter(|twin| *twin != start).collect();
    let meant = is.columns.map_or(0, |columns| i64::from(columns.start));
    let mut best: Option<((usize, i64), LineRegion)> = None;
    for at in is.first..=is.last {
        let text = new.bare(at);
        if text.len().max(line.len()) > MAX_LINE_BYTES {
            return None;
        }
        let places = whole(text, words);
        if twins.len().max(places.len()) > MAX_TWINS {
            return None;
        }
        for found in places {
            let ours = around(start, text, found);
            // The same words elsewhere in the old line may be the ones that are left.
            if twins.iter().any(|twin| around(*twin, text, found) > ours) {
                continue;
            }
            let near = if at == is.first { -(found as i64 - meant).abs() } else { i64::MIN };
            if best.as_ref().is_none_or(|(rank, _)| (ours, near) > *rank) {
                let columns = Bytes { start: found as u32, end: (found + words.len()) as u32 };
                best = Some(((ours, near), LineRegion { first: at, last: at, columns: Some(columns) }));
            }
        }
    }
    best.map(|(_, region)| region)
}

fn before(line: &[u8], at: usize) -> &[u8] {
    &line[at.saturating_sub(AROUND_BYTES)..at]
}

fn behind(line: &[u8], at: usize) -> &[u8] {
    &line[at..(at + AROUND_BYTES).min(line.len())]
}

/// Whether a part of one line holds a word.
pub(crate) fn has_words(text: &Text, region: &LineRegion) -> bool {
    let line = text.bare(region.first);
    let columns = region.columns.filter(|_| region.first == region.last);
    columns.is_none_or(|part| {
        let end = (part.end as usize).min(line.len());
        line.get(part.start as usize..end).is_some_and(says_something)
    })
}

/// Whether some bytes hold a word: marks alone are anywhere.
fn says_something(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| is_word(*byte))
}

/// Where some words are in a line, and nothing goes on across their ends.
///
/// All quotes are alike.
fn whole(text: &[u8], words: &[u8]) -> Vec<usize> {
    let (text, words) = (alike(text), alike(words));
    memchr::memmem::find_iter(&text, &words).filter(|found| is_whole(&text, *found, words.len())).collect()
}

fn alike(text: &[u8]) -> Vec<u8> {
    text.iter().map(|byte| if matches!(byte, b'"' | b'`') { b'\'' } else { *byte }).collect()
}

/// Whether no word, and no mark of several bytes such as `==`, goes on across the ends of a run of bytes.
fn is_whole(text: &[u8], start: usize, count: usize) -> bool {
    let is_one = |a: u8, b: u8| (is_word(a) && is_word(b)) || (a == b && b"=<>&|+-*/.:!?".contains(&a));
    let goes_on = |at: usize| at > 0 && at < text.len() && is_one(text[at - 1], text[at]);
    !goes_on(start) && !goes_on(start + count)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// How many tokens right before an end are the same.
fn shared_end(old: &[u8], new: &[u8]) -> usize {
    let (olds, news): (Vec<_>, Vec<_>) = (tokens(old).collect(), tokens(new).collect());
    let pairs = olds.iter().rev().zip(news.iter().rev());
    pairs.take_while(|(a, b)| old[a.range()] == new[b.range()]).count()
}

/// How many tokens right after a start are the same.
fn shared_start(old: &[u8], new: &[u8]) -> usize {
    tokens(old).zip(tokens(new)).take_while(|(a, b)| old[a.range()] == new[b.range()]).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks the part with `[` and `]` in the old line, and expects it so in the new one, or nowhere.
    fn check(old: &str, new: &str) {
        let cut = |line: &str| {
            let (start, end) = (line.find('[').unwrap(), line.find(']').unwrap() - 1);
            let columns = Bytes { start: start as u32, end: end as u32 };
            (
                Text::new(line.replace(['[', ']'], "")),
                LineRegion { first: 0, last: 0, columns: Some(columns) },
            )
        };
        let (text, was) = cut(old);
        let line = LineRegion { first: 0, last: 0, columns: None };
        if new.contains('[') {
            let (new, expected) = cut(new);
            assert_eq!(same_words(&text, &was, &new, &line), Some(expected), "{old}");
        } else {
            assert_eq!(same_words(&text, &was, &Text::new(new), &line), None, "{old}");
        }
    }

    #[test]
    fn words_that_still_stand_are_the_part_and_what_was_added_is_not() {
        check("# [disable=a]\n", "# [disable=a],b\n");
        check("f(); // [why so]\n", "f(2); // see below: [why so]?\n");
        check("[one], two\n", "zero, [one], two\n");
        check("f(s = [\"FLASK\"], 1)\n", "f(s = ['FLASK'], 2)\n");
    }

    #[test]
    fn of_very_many_equal_words_none_is_told_from_the_others() {
        let many = "a ".repeat(1_000);
        check(&format!("[a] {many}\n"), &format!("b a {many}\n"));
    }

    #[test]
    fn a_longer_word_is_another_one() {
        check("# [disable=a]\n", "# disable=ab\n");
        check("x = [cut];\n", "x = shortcut;\n");
        check("if x [== 1] {\n", "if x === 1 {\n");
    }

    #[test]
    fn of_equal_words_those_among_the_same_others_are_meant() {
        check("f(x, [a], b)\n", "f(a, x, [a], b)\n");
        check("f([a], a, b)\n", "f([a], c, a, b)\n");
        check("Plugins = '[Plugins]',\n", "Plugins = 'PLUGINS',\n");
    }
}
