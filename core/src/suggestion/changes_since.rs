//! What happened to a text since something was suggested for it.
//!
//! A diff of words alone would lay a rewritten block over the old one by chance, and a suggestion would land between
//! words that have nothing to do with it. So words are compared only where one line became another.

use crate::edit::{Algorithm, Grain, LineMap, LineWords, Replacement, Text, TextEdit, Vocabulary};

/// A line that is less alike than this became no other line: it went, and another came.
pub(super) const MIN_ALIKE: f64 = 0.6;

/// How many pairs of lines are compared; changed places beyond that stay one replacement each. Texts come from others,
/// and none may cost more than it is worth.
pub(super) const MAX_PAIRS: usize = 100_000;

/// The edit that leads from `base` to `current`: whole lines, and words within lines that stayed themselves.
///
/// The end of a line that is replaced as a whole is not a part of what changes.
pub fn changes_since(base: &[u8], current: &[u8]) -> TextEdit {
    let mut left = MAX_PAIRS;
    let changed = by_lines(base, current);
    let refined = changed.replacements().iter().flat_map(|change| refine(base, change, &mut left));
    let trimmed = refined.map(|change| change.trimmed_by_lines(base));
    TextEdit::new(trimmed.collect()).expect("each change is cut within its own bounds")
}

/// The edit of whole lines that leads from `old` to `new`; cheap also for texts that have nothing in common.
pub(super) fn by_lines(old: &[u8], new: &[u8]) -> TextEdit {
    let (old, new) = (Text::new(old), Text::new(new));
    let hunks = LineMap::between(&old, &new, Algorithm::Histogram).exact_hunks(&old, &new);
    let changes = hunks.into_iter().map(|hunk| {
        let range = old.offset(hunk.before.start)..old.offset(hunk.before.end);
        let text = &new.bytes()[new.offset(hunk.after.start)..new.offset(hunk.after.end)];
        Replacement::new(range, text, ())
    });
    TextEdit::new(changes.collect()).expect("hunks are in order and apart")
}

fn refine(base: &[u8], change: &Replacement, left: &mut usize) -> Vec<Replacement> {
    let (old, new) = (Text::new(&base[change.range()]), Text::new(change.text()));
    let pairs = (old.len() as usize).saturating_mul(new.len() as usize);
    if pairs == 0 || pairs > *left {
        return vec![change.clone()];
    }
    *left -= pairs;
    let mut refined = Vec::new();
    let mut at = (0, 0);
    let end = (old.len(), new.len());
    for (old_line, new_line) in paired(&old, &new).into_iter().chain([end]) {
        let (dropped, added) =
            (old.offset(at.0)..old.offset(old_line), new.offset(at.1)..new.offset(new_line));
        if !dropped.is_empty() || !added.is_empty() {
            refined.push(shifted(change.start(), dropped, &new.bytes()[added]));
        }
        if (old_line, new_line) != end {
            let (start, stop) = (old.offset(old_line), old.offset(old_line + 1));
            let became = &new.bytes()[new.offset(new_line)..new.offset(new_line + 1)];
            let words = TextEdit::from_diff(&old.bytes()[start..stop], became, Grain::Word);
            refined.extend(
                words
                    .into_replacements()
                    .into_iter()
                    .map(|word| shifted(change.start() + start, word.range(), word.text())),
            );
        }
        at = (old_line + 1, new_line + 1);
    }
    refined
}

fn shifted(by: usize, range: std::ops::Range<usize>, text: &[u8]) -> Replacement {
    Replacement::new(by + range.start..by + range.end, text, ())
}

/// Which old line became which new one: the pairs, in order, that are most alike together.
fn paired(old: &Text, new: &Text) -> Vec<(u32, u32)> {
    let mut vocabulary = Vocabulary::default();
    let mut read = |text: &Text| -> Vec<LineWords> {
        (0..text.len()).map(|line| vocabulary.learn(text.bare(line))).collect()
    };
    let (old, new) = (read(old), read(new));
    let alike = |a: usize, b: usize| -> f64 {
        if old[a].is_blank() || new[b].is_blank() {
            return 0.0;
        }
        Some(vocabulary.similarity(&old[a], &new[b])).filter(|alike| *alike >= MIN_ALIKE).unwrap_or(0.0)
    };
    // best[a][b]: how alike the lines from `a` and from `b` on can be laid together.
    let width = new.len() + 1;
    let mut best = vec![0.0; (old.len() + 1) * width];
    let mut pair = vec![0.0; old.len() * new.len()];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let both = alike(a, b);
            pair[a * new.len() + b] = both;
            let without: f64 = f64::max(best[(a + 1) * width + b], best[a * width + b + 1]);
            let with = if both > 0.0 { both + best[(a + 1) * width + b + 1] } else { 0.0 };
            best[a * width + b] = without.max(with);
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut pairs = Vec::new();
    while a < old.len() && b < new.len() {
        let both = pair[a * new.len() + b];
        let here = best[a * width + b];
        if both > 0.0 && here == both + best[(a + 1) * width + b + 1] {
            pairs.push((a as u32, b as u32));
            (a, b) = (a + 1, b + 1);
        } else if here == best[(a + 1) * width + b] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, current: &str, expected: &[(&str, &str)]) {
        let edit = changes_since(base.as_bytes(), current.as_bytes());
        assert_eq!(edit.apply(base.as_bytes()).unwrap(), current.as_bytes());
        let told: Vec<_> = edit
            .replacements()
            .iter()
            .map(|change| (&base[change.range()], std::str::from_utf8(change.text()).unwrap()))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn words_are_compared_within_lines_that_stayed_themselves() {
        let base = "let total = first(a) + second(b);\n";
        check(base, "let total = first(a) + third(b);\n", &[("second", "third")]);
        check(base, "// why\nlet total = first(a) + third(b);\n", &[("", "// why\n"), ("second", "third")]);
    }

    #[test]
    fn a_rewritten_line_is_replaced_whole() {
        check(
            "let total = first(a);\n",
            "while let Some(x) = queue.pop() {\n",
            &[("let total = first(a);", "while let Some(x) = queue.pop() {")],
        );
    }
}
