//! One side of a text with conflict markers, as an unfinished merge or rebase leaves it in the work tree.
//!
//! What the other side says is blotted out: a line of the one has a twin there that is not a duplicate. Which side counts
//! is decided for each conflict. Git calls "ours" what is in HEAD, which in a rebase is the upstream, while the
//! lines that were commented on are on the other side.

use std::collections::HashSet;
use std::ops::Range;

use crate::edit::Text;

/// One conflict; the lines of the markers are between and around those of the sides.
struct MarkedConflict {
    whole: Range<u32>,
    ours: Range<u32>,
    theirs: Range<u32>,
}

/// Whether there is a whole conflict in a text, and no other.
pub(crate) fn is_in(text: &Text) -> bool {
    conflicts(text).is_some()
}

/// Whether a line is in a conflict.
pub(crate) fn holds(text: &Text, line: u32) -> bool {
    may_be_in(text)
        && conflicts(text)
            .is_some_and(|conflicts| conflicts.iter().any(|conflict| conflict.whole.contains(&line)))
}

/// Whether it is worth looking for a conflict; most texts have none.
pub(crate) fn may_be_in(text: &Text) -> bool {
    memchr::memmem::find(text.bytes(), b"\n>>>>>>> ").is_some()
}

/// Returns `text` with everything in its conflicts unrecognisable, line for line, but the side that `old` knows.
///
/// Where it knows neither better than the other, that is ours. `None` if there is no whole conflict in it.
pub(crate) fn side(old: &Text, text: &Text) -> Option<Text> {
    let conflicts = conflicts(text)?;
    let known: HashSet<&[u8]> = (0..old.len()).map(|line| old.line(line)).collect();
    let mut bytes = Vec::with_capacity(text.bytes().len());
    let mut conflicts = conflicts.iter().peekable();
    let mut kept = 0..0;
    let mut blotted = 0..0;
    for line in 0..text.len() {
        if let Some(conflict) = conflicts.next_if(|conflict| conflict.whole.start == line) {
            (blotted, kept) = (conflict.whole.clone(), conflict.side(text, &known));
        }
        if blotted.contains(&line) && !kept.contains(&line) {
            // Unlike any line of code, and unlike each other.
            bytes.extend_from_slice(format!("\u{1}{line}\u{1}").as_bytes());
        } else {
            bytes.extend_from_slice(text.line(line));
        }
        bytes.push(b'\n');
    }
    Some(Text::new(bytes))
}

impl MarkedConflict {
    fn side(&self, text: &Text, known: &HashSet<&[u8]>) -> Range<u32> {
        let lines = |side: &Range<u32>| -> HashSet<&[u8]> {
            side.clone().map(|line| text.line(line)).filter(|line| says_something(line)).collect()
        };
        let (ours, theirs) = (lines(&self.ours), lines(&self.theirs));
        let known_of = |one: &HashSet<&[u8]>, other: &HashSet<&[u8]>| {
            one.difference(other).filter(|line| known.contains(*line)).count()
        };
        if known_of(&theirs, &ours) > known_of(&ours, &theirs) {
            self.theirs.clone()
        } else {
            self.ours.clone()
        }
    }
}

/// A brace is everywhere.
fn says_something(line: &[u8]) -> bool {
    line.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The conflicts of a text; `None` if there are none, or one is not whole.
fn conflicts(text: &Text) -> Option<Vec<MarkedConflict>> {
    let mut found = Vec::new();
    let mut at = ConflictPart::Outside;
    for line in 0..text.len() {
        let content = text.line(line);
        at = match at {
            ConflictPart::Outside if content.starts_with(b"<<<<<<< ") => ConflictPart::Ours { start: line },
            ConflictPart::Outside => ConflictPart::Outside,
            ConflictPart::Ours { start } if content.starts_with(b"||||||| ") => {
                ConflictPart::Base { start, ours: start + 1..line }
            }
            ConflictPart::Ours { start } if content.trim_ascii_end() == b"=======" => {
                ConflictPart::Theirs { start, ours: start + 1..line, middle: line }
            }
            ConflictPart::Base { start, ours } if content.trim_ascii_end() == b"=======" => {
                ConflictPart::Theirs { start, ours, middle: line }
            }
            ConflictPart::Theirs { start, ours, middle } if content.starts_with(b">>>>>>> ") => {
                found.push(MarkedConflict { whole: start..line + 1, ours, theirs: middle + 1..line });
                ConflictPart::Outside
            }
            within => within,
        };
    }
    (!found.is_empty() && matches!(at, ConflictPart::Outside)).then_some(found)
}

/// Where a reader of a text is.
enum ConflictPart {
    Outside,
    Ours { start: u32 },
    Base { start: u32, ours: Range<u32> },
    Theirs { start: u32, ours: Range<u32>, middle: u32 },
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nb\nc\n>>>>>>> other\nd\n";

    /// The lines that can be recognised, counted from zero.
    fn check(old: &str, text: &str, left: &[u32]) {
        let side = side(&Text::new(old), &Text::new(text)).unwrap();
        let found: Vec<_> = (0..side.len()).filter(|line| !side.line(*line).starts_with(b"\x01")).collect();
        assert_eq!(found, left, "{old:?}");
    }

    #[test]
    fn one_side_is_left_of_a_conflict() {
        check("a\nb\nd\n", TEXT, &[0, 2, 9]);
        check("", TEXT, &[0, 2, 9]);
        check("a\nb\nc\nd\n", TEXT, &[0, 6, 7, 9]);
        // What only the base says is nobody's.
        check("a\nx\nd\n", TEXT, &[0, 2, 9]);
    }

    #[test]
    fn each_conflict_is_decided_by_itself() {
        let one = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n";
        let two = "<<<<<<< HEAD\n}\nc\n=======\nd\n>>>>>>> x\n";
        check("b\nc\n}\n", &format!("{one}{two}"), &[3, 6, 7]);
        check("a\nd\n}\n", &format!("{one}{two}"), &[1, 9]);
    }

    #[test]
    fn a_marker_alone_is_no_conflict() {
        assert!(!is_in(&Text::new("<<<<<<< HEAD\na\n")));
        assert!(!is_in(&Text::new("a\n=======\nb\n")));
        assert!(is_in(&Text::new(TEXT)));
        let held: Vec<_> = (0..10).filter(|line| holds(&Text::new(TEXT), *line)).collect();
        assert_eq!(held, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
