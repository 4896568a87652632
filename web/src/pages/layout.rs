//! Unified or split: how the lines of a diff lie beside each other.
//!
//! In a unified diff a row is one line. In a split one, a deleted and an added line share a row, and an unchanged line
//! is there twice; its copy on the old side is not a line of the page, only something to read. `layout.js` changes one
//! into the other, and makes the same of it.

use postil_protocol::{DiffLine, DiffMark};

/// How lines lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One below the other.
    #[default]
    Unified,
    /// The base at the left, the head at the right.
    Split,
}

impl Layout {
    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Split => "split",
        }
    }

    /// Reads its word; anything else is unified.
    pub(crate) fn read(word: &str) -> Self {
        if word == "split" { Self::Split } else { Self::Unified }
    }

    /// The lines of a stretch without gaps, row by row.
    pub(super) fn rows<'a>(self, lines: &[&'a DiffLine]) -> Vec<LineRow<'a>> {
        if self == Self::Unified {
            return lines.iter().map(|line| LineRow(Some(line), None)).collect();
        }
        let mut rows = Vec::with_capacity(lines.len());
        for run in lines.chunk_by(|one, next| is_changed(one) && is_changed(next)) {
            let is_old = |line: &&&'a DiffLine| line.mark == DiffMark::Deleted;
            let mut old = run.iter().filter(is_old).copied();
            let mut new = run.iter().filter(|line| !is_old(line)).copied();
            loop {
                let row = LineRow(old.next(), new.next());
                if row == LineRow(None, None) {
                    break;
                }
                rows.push(row);
            }
        }
        rows
    }
}

fn is_changed(line: &DiffLine) -> bool {
    line.mark != DiffMark::Kept
}

/// What lies beside each other: in a unified diff one line, in a split one the old and the new side.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineRow<'a>(pub Option<&'a DiffLine>, pub Option<&'a DiffLine>);

impl<'a> LineRow<'a> {
    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = &'a DiffLine> {
        self.0.into_iter().chain(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::diff;
    use super::*;

    #[test]
    fn a_split_pairs_what_was_deleted_with_what_was_added_and_loses_no_line() {
        let diff = diff("a");
        let mut lines: Vec<DiffLine> = diff.files[0].lines[..6].to_vec();
        let marks = ["deleted", "deleted", "added", "kept", "added", "deleted"];
        for (line, mark) in lines.iter_mut().zip(marks) {
            line.mark = serde_json::from_value(mark.into()).unwrap();
        }
        let lines: Vec<&DiffLine> = lines.iter().collect();
        let shown = |layout: Layout| {
            let offset = |line: Option<&DiffLine>| line.map(|line| line.offset);
            layout.rows(&lines).iter().map(|row| (offset(row.0), offset(row.1))).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(Layout::Split),
            [(Some(0), Some(2)), (Some(1), None), (None, Some(3)), (Some(5), Some(4))]
        );
        assert_eq!(shown(Layout::Unified).len(), 6);
    }
}
