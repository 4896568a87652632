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
        let is_small = before.len().max(after.len()) <= MAX_COMPARED as usize;
        let shapes: Vec<LineShape> = if is_small {
            after.clone().map(|line| LineShape::of(new.line(line))).collect()
        } else {
            Vec::new()
        };
        for line in before.clone() {
            let here = after.start + (line - before.start);
            let best = if is_small {
                let shapes = &shapes[(next - after.start) as usize..];
                most_alike(old.line(line), new, next, shapes)
            } else {
                let found = (here < after.end).then(|| compared(old.line(line), new.line(here)));
                found.flatten().map(|words| (here, words))
            };
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

/// The line that is most like an old one, the first of several; `shapes` are those of the lines from `first` on.
fn most_alike(old: &[u8], new: &Text, first: u32, shapes: &[LineShape]) -> Option<(u32, LineWordsChanged)> {
    let shape = LineShape::of(old);
    let mut order: Vec<(usize, u32)> =
        shapes.iter().zip(first..).map(|(other, line)| (shape.most_same(other), line)).collect();
    // What may be most alike first: of most others it need not be known how alike they are.
    order.sort_by_key(|(most, line)| (std::cmp::Reverse(*most), *line));
    let mut best: Option<(u32, LineWordsChanged)> = None;
    for (most, line) in order {
        let known = best.as_ref().map_or(MIN_SAME_OF_LONGER, |(_, words)| words.same);
        if most < known {
            break;
        }
        let Some(words) = compared(old, new.line(line)) else { continue };
        let is_better = best.as_ref().is_none_or(|(at, known)| (words.same, *at) > (known.same, line));
        if is_better {
            best = Some((line, words));
        }
    }
    best
}

/// How often a line has each byte that is not white space.
///
/// What two lines have in common is no more than the bytes that both have, wherever they are.
struct LineShape {
    counts: [u16; 256],
    solid: usize,
}

impl LineShape {
    fn of(line: &[u8]) -> Self {
        let (mut counts, mut solid) = ([0_u16; 256], 0);
        // Longer lines are not compared.
        for byte in line.iter().take(MAX_LINE_BYTES + 1).filter(|byte| !byte.is_ascii_whitespace()) {
            counts[usize::from(*byte)] += 1;
            solid += 1;
        }
        Self { counts, solid }
    }

    /// How much of the longer one may be the same, in percent.
    fn most_same(&self, other: &Self) -> usize {
        let both = self.counts.iter().zip(&other.counts).map(|(one, other)| usize::from(*one.min(other)));
        both.sum::<usize>() * 100 / self.solid.max(other.solid).max(1)
    }
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
    fn looking_at_what_may_be_alike_first_changes_no_answer() {
        let words = ["let", " ", "total", "= ", "a", "b(", ")", "self.", "total", ";", "\u{e9}"];
        let mut dice = 7_u32;
        let mut line = || {
            let mut text = String::new();
            for _ in 0..8 {
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push_str(words[(dice >> 16) as usize % words.len()]);
            }
            text + "\n"
        };
        for _ in 0..300 {
            let (old, text) = (line(), (0..9).map(|_| line()).collect::<String>());
            let (old, new) = (old.trim_end().as_bytes(), Text::new(text));
            let shapes: Vec<LineShape> = (0..new.len()).map(|line| LineShape::of(new.line(line))).collect();
            let each = (0..new.len()).filter_map(|line| Some((line, compared(old, new.line(line))?)));
            let plain = each.max_by_key(|(line, words)| (words.same, std::cmp::Reverse(*line)));
            let found = most_alike(old, &new, 0, &shapes);
            let told = |best: Option<(u32, LineWordsChanged)>| {
                best.map(|(line, words)| (line, words.old, words.new))
            };
            assert_eq!(told(found), told(plain));
        }
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
