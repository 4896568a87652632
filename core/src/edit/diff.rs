//! Edits out of a diff of two texts.
//!
//! Lines are compared first; inside of changed lines words or characters are. No deadline: what would cost
//! too much stays one replacement, on every machine alike.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::replacement::{characters, continues};
use super::{Replacement, TextEdit};

/// How fine the replacements of a diff are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Whole lines.
    Line,
    /// Words and parts of words such as `Point` and `3D`, and single characters between them.
    Word,
    /// Single characters.
    Character,
}

/// Changed lines with more pairs of pieces than this stay one replacement: comparing them all would
/// cost more than the finer answer is worth.
const MAX_PAIRS: usize = 4 << 20;

/// Two changes of words with at most this many characters between them are one change: what happens
/// to be equal in so short a stretch says nothing.
const MAX_JOINED_GAP: usize = 2;

impl TextEdit {
    /// The edit that leads from `old` to `new`.
    pub fn from_diff(old: &[u8], new: &[u8], grain: Grain) -> Self {
        let (old_lines, new_lines) = (Pieces::of(old, Grain::Line), Pieces::of(new, Grain::Line));
        let mut replacements = Vec::new();
        for (dropped, added) in old_lines.changes(&new_lines) {
            let changed = Replacement::new(dropped, &new[added], ());
            match grain {
                Grain::Line => replacements.push(changed),
                Grain::Word | Grain::Character => replacements.extend(refined(changed, old, grain)),
            }
        }
        Self::sorted(replacements)
    }
}

/// Cuts a replacement into those of its pieces that really change.
fn refined(whole: Replacement, content: &[u8], grain: Grain) -> Vec<Replacement> {
    let (old, new) = (&content[whole.range()], whole.text());
    let (old_pieces, new_pieces) = (Pieces::of(old, grain), Pieces::of(new, grain));
    let gap = if grain == Grain::Word { MAX_JOINED_GAP } else { 0 };
    if old_pieces.pieces.len().saturating_mul(new_pieces.pieces.len()) > MAX_PAIRS {
        return vec![whole.trimmed(content)];
    }
    let mut changes: Vec<ByteChange> = Vec::new();
    for (dropped, added) in old_pieces.changes(&new_pieces) {
        match changes.last_mut() {
            Some((before, last)) if characters(&old[before.end..dropped.start]) <= gap => {
                before.end = dropped.end;
                last.end = added.end;
            }
            _ => changes.push((dropped, added)),
        }
    }
    let start = whole.start();
    let changes = changes.into_iter().map(|(dropped, added)| {
        Replacement::new(start + dropped.start..start + dropped.end, &new[added], ())
    });
    changes.collect()
}

/// The bytes that go, and the bytes of the other text that come.
type ByteChange = (Range<usize>, Range<usize>);

/// A text cut into pieces that are compared as a whole.
struct Pieces<'a> {
    pieces: Vec<&'a [u8]>,
    /// The offset of every piece, and one more after the last.
    starts: Vec<usize>,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a [u8], grain: Grain) -> Self {
        match grain {
            Grain::Line => Self::cut(text, |before, _| before == b'\n'),
            Grain::Word => Self::cut(text, is_word_boundary),
            Grain::Character => Self::cut(text, |_, after| !continues(after)),
        }
    }

    fn cut(text: &'a [u8], boundary: impl Fn(u8, u8) -> bool) -> Self {
        let mut starts = vec![0];
        starts.extend((1..text.len()).filter(|at| boundary(text[at - 1], text[*at])));
        if !text.is_empty() {
            starts.push(text.len());
        }
        let pieces = starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        Self { pieces, starts }
    }

    /// The ranges of bytes that differ, in both texts.
    fn changes(&self, new: &Self) -> Vec<ByteChange> {
        let ops = capture_diff_slices(Algorithm::Myers, &self.pieces, &new.pieces);
        let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(|op| {
            let (old_range, new_range) = (op.old_range(), op.new_range());
            (
                self.starts[old_range.start]..self.starts[old_range.end],
                new.starts[new_range.start]..new.starts[new_range.end],
            )
        });
        changed.collect()
    }
}

/// Bytes that are not ASCII count as parts of words; an upper-case letter begins a part.
fn is_word_boundary(before: u8, after: u8) -> bool {
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    !(in_word(before) && in_word(after)) || (after.is_ascii_uppercase() && !before.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, grain: Grain, expected: &[(usize, usize, &str)]) {
        let edit = TextEdit::from_diff(old.as_bytes(), new.as_bytes(), grain);
        assert_eq!(edit.apply(old.as_bytes()).unwrap(), new.as_bytes());
        let found: Vec<_> = edit
            .replacements()
            .iter()
            .map(|replacement| {
                let text = std::str::from_utf8(replacement.text()).unwrap();
                (replacement.start(), replacement.end(), text)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_words_and_characters_give_ever_finer_edits() {
        let (old, new) = ("same\nuse(result);\n", "same\nuse(result42);\n");
        check(old, new, Grain::Line, &[(5, 18, "use(result42);\n")]);
        check(old, new, Grain::Word, &[(9, 15, "result42")]);
        check(old, new, Grain::Character, &[(15, 15, "42")]);
    }

    #[test]
    fn an_upper_case_letter_begins_a_part_of_a_word() {
        check("class Point3 {", "class Point3D {", Grain::Word, &[(12, 12, "D")]);
    }

    #[test]
    fn changes_with_hardly_anything_between_them_are_one() {
        check("a b c", "x y c", Grain::Word, &[(0, 3, "x y")]);
        check("a b c", "x y c", Grain::Character, &[(0, 1, "x"), (2, 3, "y")]);
    }

    #[test]
    fn characters_are_never_cut() {
        check("é", "è", Grain::Character, &[(0, 2, "è")]);
        check("", "new", Grain::Word, &[(0, 0, "new")]);
        check("old\n", "", Grain::Word, &[(0, 4, "")]);
        check("", "", Grain::Line, &[]);
    }

    #[test]
    fn what_costs_too_much_stays_one_replacement() {
        let old = "a ".repeat(2000) + "\n";
        let new = "b ".repeat(2000) + "\n";
        check(&old, &new, Grain::Word, &[(0, 3999, &new[..3999])]);
    }
}
