//! The marks that `three_way` leaves around a conflict, while neither of its sides was chosen.
//!
//! A suggested text that is between marks is not done: what becomes of it is asked of the file as it was before.

use std::ops::Range;

use crate::edit::{Replacement, Swallowed, TextEdit};

use super::carry::{CarriedEdit, SuggestionConflict};

/// The line above what was there.
pub(super) const YOURS: &str = "<<<<<<< yours";
/// The line above what the suggestion was made for.
pub(super) const BASE: &str = "||||||| when it was suggested";
/// The line above what was suggested.
pub(super) const SUGGESTED: &str = "=======";
/// The line below it begins so.
pub(super) const END: &str = ">>>>>>> ";

/// A text with conflicts between marks, as it was before they were written.
#[derive(Debug)]
pub(super) struct Marked {
    /// The text with the side of each conflict that was there.
    pub yours: Vec<u8>,
    conflicts: Vec<MarkedSection>,
    /// Leads from `yours` to the text with marks.
    marks: TextEdit,
}

/// A conflict between marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedSection {
    /// Its first line, counted from one.
    pub line: usize,
    /// Its lines, marks and all.
    pub lines: Vec<Vec<u8>>,
    /// The lines in the text without marks, counted from zero.
    yours: Range<usize>,
}

impl Marked {
    /// `None` if no conflict is marked.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        memchr::memmem::find(text, YOURS.as_bytes())?;
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut marked = Self { yours: Vec::new(), conflicts: Vec::new(), marks: TextEdit::nothing() };
        let mut marks = Vec::new();
        let (mut at, mut kept) = (0, 0);
        while let Some(line) = lines.get(at) {
            let Some((middle, end)) = between(&lines, at) else {
                marked.yours.extend_from_slice(line);
                (at, kept) = (at + 1, kept + 1);
                continue;
            };
            let insert = |at: usize, lines: &[&[u8]]| Replacement::new(at..at, lines.concat(), ());
            let yours = &lines[at + 1..middle];
            marks.push(insert(marked.yours.len(), &lines[at..=at]));
            marked.yours.extend_from_slice(&yours.concat());
            marks.push(insert(marked.yours.len(), &lines[middle..=end]));
            marked.conflicts.push(MarkedSection {
                line: at + 1,
                lines: lines[at..=end].iter().map(|line| bare(line).to_vec()).collect(),
                yours: kept..kept + yours.len(),
            });
            (at, kept) = (end + 1, kept + yours.len());
        }
        marked.marks = TextEdit::new(marks).expect("they were made in the order of the text");
        (!marked.conflicts.is_empty()).then_some(marked)
    }

    /// What became of a suggestion in the text with marks, from what became of it in the one without.
    pub(super) fn carried(&self, carried: CarriedEdit) -> CarriedEdit {
        match carried {
            CarriedEdit::Left(left) => {
                let mut met = left.replacements().iter().filter_map(|part| {
                    let line = |at: usize| memchr::memchr_iter(b'\n', &self.yours[..at]).count();
                    let last = part.end().saturating_sub(1).max(part.start());
                    self.meets(line(part.start())..line(last) + 1)
                });
                match (met.next(), left.transform(&self.marks, Swallowed::Refuse)) {
                    (None, Some(moved)) => CarriedEdit::Left(moved),
                    (met, _) => CarriedEdit::Marked(met.unwrap_or(&self.conflicts[0]).clone()),
                }
            }
            CarriedEdit::Conflict(meeting) => {
                let first = meeting.line - 1;
                match self.meets(first..first + meeting.actual.len()) {
                    Some(between) => CarriedEdit::Marked(between.clone()),
                    None => CarriedEdit::Conflict(SuggestionConflict {
                        line: 1 + self.line_now(first),
                        ..meeting
                    }),
                }
            }
            done => done,
        }
    }

    fn meets(&self, lines: Range<usize>) -> Option<&MarkedSection> {
        self.conflicts
            .iter()
            .find(|between| between.yours.start <= lines.end && lines.start <= between.yours.end)
    }

    /// Which line of the text with marks one of the text without is; both count from zero.
    fn line_now(&self, line: usize) -> usize {
        let above = self.conflicts.iter().filter(|between| between.yours.end <= line);
        line + above.map(|between| between.lines.len() - between.yours.len()).sum::<usize>()
    }
}

/// Where the lines that were there end and where the conflict does, if one begins at `at`.
fn between(lines: &[&[u8]], at: usize) -> Option<(usize, usize)> {
    if bare(lines[at]) != YOURS.as_bytes() {
        return None;
    }
    let end = at + lines[at..].iter().position(|line| line.starts_with(END.as_bytes()))?;
    let find = |mark: &str| (at..end).find(|line| bare(lines[*line]) == mark.as_bytes());
    Some((find(BASE).or_else(|| find(SUGGESTED))?, end))
}

fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{AgreementMode, Grain};
    use crate::suggestion::{carry, merge_with_marks};

    const BASE_TEXT: &str = "a\nb\nc\nd\ne\nf\ng\n";

    fn edit(wanted: &str) -> TextEdit {
        TextEdit::from_diff(BASE_TEXT.as_bytes(), wanted.as_bytes(), Grain::Line)
    }

    fn merged(wanted: &str, current: &str) -> Vec<u8> {
        merge_with_marks(BASE_TEXT.as_bytes(), &edit(wanted), current.as_bytes(), "3f9c1a2").unwrap()
    }

    fn fate(wanted: &str, current: &[u8]) -> CarriedEdit {
        carry(BASE_TEXT.as_bytes(), &edit(wanted), current, AgreementMode::Lenient).unwrap()
    }

    #[test]
    fn what_stands_between_marks_is_not_done() {
        for end in ["\n", "\r\n"] {
            let current = "a\nb\nX\nd\ne\nf\ng\n".replace('\n', end);
            let with_marks = merged("a\nb\nC\nd\ne\nf\ng\n", &current);
            let marked = Marked::of(&with_marks).unwrap();
            assert_eq!(String::from_utf8_lossy(&marked.yours), current);
            assert_eq!(marked.marks.apply(&marked.yours).unwrap(), with_marks);
            let CarriedEdit::Marked(between) = fate("a\nb\nC\nd\ne\nf\ng\n", &with_marks) else {
                panic!("nobody has chosen")
            };
            assert_eq!((between.line, between.lines.len()), (3, 7));
            assert_eq!(between.lines[1], b"X");
        }
    }

    #[test]
    fn who_has_chosen_is_asked_as_ever() {
        let wanted = "a\nb\nC\nd\ne\nf\ng\n";
        assert_eq!(fate(wanted, wanted.as_bytes()), CarriedEdit::Done);
        assert!(matches!(fate(wanted, b"a\nb\nX\nd\ne\nf\ng\n"), CarriedEdit::Conflict(_)));
        assert!(Marked::of(b"<<<<<<< yours\nno end\n=======\n").is_none());
        assert!(Marked::of(b"say <<<<<<< yours\n=======\n>>>>>>> x\n").is_none());
    }

    #[test]
    fn marks_of_another_suggestion_stand_in_nobodys_way() {
        let with_marks = merged("a\nB\nc\nd\ne\nf\ng\n", "a\nX\nc\nd\ne\nf\ng\n");
        let CarriedEdit::Left(left) = fate("a\nb\nc\nd\ne\nf\nG\n", &with_marks) else {
            panic!("it is elsewhere")
        };
        let result = left.apply(&with_marks).unwrap();
        assert_eq!(
            String::from_utf8(result).unwrap(),
            String::from_utf8(with_marks.clone()).unwrap().replace("\ng\n", "\nG\n")
        );
        assert_eq!(fate("a\nb\nc\nd\ne\nf\ng\n", &with_marks), CarriedEdit::Done);
        // What lies right beside them would land among them.
        assert!(matches!(fate("a\nb\nC\nd\ne\nf\ng\n", &with_marks), CarriedEdit::Marked(_)));
        // Another conflict further down is told where it is now.
        let both = String::from_utf8(with_marks).unwrap().replace("\ng\n", "\nY\n");
        let CarriedEdit::Conflict(meeting) = fate("a\nb\nc\nd\ne\nf\nG\n", both.as_bytes()) else {
            panic!("Y is no g")
        };
        assert_eq!(both.lines().nth(meeting.line - 1), Some("Y"));
    }
}
