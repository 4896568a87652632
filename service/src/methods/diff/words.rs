//! The words that changed inside of lines: deleted and added lines of a change are paired if they are alike.
//!
//! Between lines that have little in common everything would be marked, and nothing said: there, nothing is.

use std::collections::BTreeMap;
use std::ops::Range;

use postil_core::edit::{Coordinates, Grain, Text, TextEdit};
use postil_protocol::ByteExtent;

/// In longer lines no words are looked for.
const MAX_LINE_BYTES: usize = 2_000;

/// In changes of more lines on one side only lines at the same place are compared.
const MAX_COMPARED: u32 = 24;

/// Lines of which less than so much of the shorter one is the same, in percent, are not one line that changed.
const MIN_SAME: usize = 40;

/// The same for the longer one: a short line is inside of many.
const MIN_SAME_OF_LONGER: usize = 25;

/// The parts of each changed line that changed, by its offset in the diff; only of changes that are shown.
pub(super) fn changed_words(
    diff: &Coordinates,
    old: &Text,
    new: &Text,
    shown: &[Range<u32>],
) -> BTreeMap<u32, Vec<ByteExtent>> {
    let mut found = BTreeMap::new();
    for hunk in diff.map().hunks() {
        let (before, after) = (hunk.before.clone(), hunk.after.clone());
        // What has lines on one side only has nothing to compare.
        let Some(first) = diff.offset_of_before(before.start).filter(|_| !after.is_empty()) else { continue };
        let last = first + (before.len() + after.len()) as u32;
        if shown.iter().all(|range| range.end <= first || range.start >= last) {
            continue;
        }
        let mut next = after.start;
        for line in before.clone() {
            let here = after.start + (line - before.start);
            let is_small = before.len().max(after.len()) <= MAX_COMPARED as usize;
            let candidates = if is_small { next..after.end } else { here..(here + 1).min(after.end) };
            let best = candidates
                .filter_map(|candidate| Some((candidate, compared(old.line(line), new.line(candidate))?)))
                .max_by_key(|(candidate, words)| (words.same, std::cmp::Reverse(*candidate)));
            let Some((candidate, words)) = best else { continue };
            next = candidate + 1;
            let at = [(diff.offset_of_before(line), words.old), (diff.offset_of_after(candidate), words.new)];
            for (offset, ranges) in at {
                let extents = ranges.into_iter().filter(|range| !range.is_empty());
                let extents: Vec<ByteExtent> = extents
                    .map(|range| ByteExtent { start: range.start as u64, end: range.end as u64 })
                    .collect();
                if let (Some(offset), false) = (offset, extents.is_empty()) {
                    found.insert(offset, extents);
                }
            }
        }
    }
    found
}

/// What differs between two lines.
struct LineWordsChanged {
    old: Vec<Range<usize>>,
    new: Vec<Range<usize>>,
    /// How much is the same, in percent.
    same: usize,
}

/// Compares two lines; `None` if they are not alike.
fn compared(old: &[u8], new: &[u8]) -> Option<LineWordsChanged> {
    if old.len().max(new.len()) > MAX_LINE_BYTES {
        return None;
    }
    // What both begin and end with is the same, however the words between could be matched.
    let (before, after) = common_ends(old, new);
    let edit =
        TextEdit::from_diff(&old[before..old.len() - after], &new[before..new.len() - after], Grain::Word);
    let (mut old_ranges, mut new_ranges) = (Vec::new(), Vec::new());
    let mut shift = 0_isize;
    for replacement in edit.replacements() {
        let range = replacement.start() + before..replacement.end() + before;
        let start = range.start.checked_add_signed(shift)?;
        new_ranges.push(start..start + replacement.text().len());
        shift += replacement.text().len() as isize - range.len() as isize;
        old_ranges.push(range);
    }
    let solid = |text: &[u8]| text.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let changed: usize = new_ranges.iter().map(|range| solid(&new[range.clone()])).sum();
    let gone: usize = old_ranges.iter().map(|range| solid(&old[range.clone()])).sum();
    let (shorter, longer) = (solid(old).min(solid(new)).max(1), solid(old).max(solid(new)).max(1));
    let kept = (solid(old) - gone).min(solid(new) - changed);
    let same = kept * 100 / longer;
    let is_alike = kept * 100 / shorter >= MIN_SAME && same >= MIN_SAME_OF_LONGER;
    is_alike.then_some(LineWordsChanged { old: old_ranges, new: new_ranges, same })
}

/// How many bytes two lines begin and end with alike; no word is cut in two.
fn common_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    let mut before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    while before > 0 && before < old.len().max(new.len()) && is_inside(old[before - 1]) {
        before -= 1;
    }
    let (old, new) = (&old[before..], &new[before..]);
    let mut after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    while after > 0 && after < old.len().max(new.len()) && is_inside(old[old.len() - after]) {
        after -= 1;
    }
    (before, after)
}

#[cfg(test)]
mod tests {
    use postil_core::edit::{Algorithm, LineMap};

    use super::*;

    /// The changed words of both sides, line by line.
    fn check(old: &str, new: &str, expected: &[&str]) {
        let (old, new) = (Text::new(old), Text::new(new));
        let diff = Coordinates::new(LineMap::between(&old, &new, Algorithm::Histogram));
        let all = 0..diff.len();
        let found = changed_words(&diff, &old, &new, std::slice::from_ref(&all));
        let words = found.iter().flat_map(|(offset, words)| {
            let line = diff.line(*offset).unwrap();
            let line = match (line.before(), line.after()) {
                (Some(before), None) => old.line(before),
                (_, after) => new.line(after.unwrap()),
            };
            let text = |word: &ByteExtent| &line[word.start as usize..word.end as usize];
            words.iter().map(move |word| String::from_utf8_lossy(text(word)).into_owned())
        });
        assert_eq!(words.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_words_that_changed_are_marked_on_both_sides() {
        check("let total = first + 1;\n", "let total = second + 1;\n", &["first", "second"]);
        check("call(a, b)\n", "call(a, b, c)\n", &[", c"]);
        let long = "if first.is_alphanumeric() || first == '_' {\n";
        check("if first.is_alphabetic() {\n", long, &["alphabetic()", "alphanumeric() || first == '_'"]);
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_marked() {
        check("let total = first + 1;\n", "return Err(NotFound);\n", &[]);
        check("", "a\nb\n", &[]);
    }

    #[test]
    fn a_line_is_compared_with_the_one_that_is_like_it() {
        check("open(file)\n", "// Reads it once.\nopen(path)\n", &["file", "path"]);
    }
}
