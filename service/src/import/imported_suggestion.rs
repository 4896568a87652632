//! The change that a tool suggests, as edits of the text that it saw.
//!
//! Pure: a text and replacements in, edits out. A fix is taken over whole or not at all: as soon as one part of it is
//! not in the text, or not what the tool saw there, none of it is.

use std::ops::Range;

use postil_core::edit::{Replacement, Text, TextEdit};
use postil_core::record::SuggestedEdit;
use postil_protocol::{ColumnUnit, FilePart, FixedRegion};

/// The edits of one file, in order.
pub(crate) fn edits_of(
    text: &Text,
    replacements: &[FixedRegion],
    unit: ColumnUnit,
) -> Result<Vec<SuggestedEdit>, String> {
    let mut edits = Vec::new();
    for FixedRegion { part, deleted, inserted } in replacements {
        let bytes = bytes_of(text, *part, unit).ok_or("the file does not have the lines that it changes")?;
        let found = &text.bytes()[bytes.clone()];
        if deleted.as_ref().is_some_and(|deleted| deleted.as_bytes() != found) {
            return Err("the text that it changes is different here".into());
        }
        if found != inserted.as_bytes() {
            edits.push(Replacement::new(bytes, inserted.as_bytes(), ()));
        }
    }
    edits.sort_by_key(|edit| (edit.start(), edit.end()));
    edits.dedup();
    if edits.is_empty() {
        return Err("the text already looks like this".into());
    }
    let edit = TextEdit::new(edits).map_err(|_| "two of its parts change the same text")?;
    let stored = edit.replacements().iter().map(|edit| SuggestedEdit {
        start: edit.start() as u64,
        end: edit.end() as u64,
        text: edit.text().to_vec(),
    });
    Ok(stored.collect())
}

/// The bytes of a part of a file; `None` if the file does not have it.
fn bytes_of(text: &Text, part: FilePart, unit: ColumnUnit) -> Option<Range<usize>> {
    let all = text.bytes();
    let bytes = match part {
        FilePart::Lines { start, start_column, end, end_column } => {
            let (first, last) = (start.checked_sub(1)?, end.checked_sub(1)?);
            // What is added at the end is at the first column after the last line.
            let line = |line: u32, column: u32| {
                let is_there = line < text.len() || (line == text.len() && column == 1);
                let within = boundary(text.line(line), u64::from(column.checked_sub(1)?), unit)?;
                is_there.then(|| text.offset(line) + within)
            };
            let start = line(first, start_column.unwrap_or(1))?;
            let end = match end_column {
                Some(column) => line(last, column)?,
                None if last < text.len() => text.offset(last) + text.bare(last).len(),
                None => return None,
            };
            start..end
        }
        FilePart::Bytes { offset, length } => {
            let start = usize::try_from(offset).ok()?;
            start..start.checked_add(usize::try_from(length).ok()?)?
        }
        FilePart::Characters { offset, length } => {
            let end = offset.checked_add(length)?;
            boundary(all, offset, unit)?..boundary(all, end, unit)?
        }
    };
    (bytes.start <= bytes.end && bytes.end <= all.len()).then_some(bytes)
}

/// Where so many units of a text end; `None` if that is inside of a character, or after the end.
fn boundary(text: &[u8], units: u64, unit: ColumnUnit) -> Option<usize> {
    let units = usize::try_from(units).ok()?;
    if unit == ColumnUnit::Bytes {
        return (units <= text.len()).then_some(units);
    }
    let text = std::str::from_utf8(text).ok()?;
    let mut passed = 0;
    for (at, character) in text.char_indices() {
        if passed >= units {
            return (passed == units).then_some(at);
        }
        passed += if unit == ColumnUnit::Utf16 { character.len_utf16() } else { 1 };
    }
    (passed == units).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "let a = \u{10400}b;\nsecond\r\nlast\n";

    fn lines(start: u32, start_column: u32, end: u32, end_column: u32) -> FilePart {
        let some = |column: u32| Some(column).filter(|column| *column > 0);
        FilePart::Lines { start, start_column: some(start_column), end, end_column: some(end_column) }
    }

    fn replaced(part: FilePart, inserted: &str) -> FixedRegion {
        FixedRegion { part, deleted: None, inserted: inserted.into() }
    }

    /// What becomes of the text; the reason if nothing does.
    fn fixed(replacements: &[FixedRegion], unit: ColumnUnit) -> Result<String, String> {
        let mut text = TEXT.as_bytes().to_vec();
        for edit in edits_of(&Text::new(TEXT), replacements, unit)?.into_iter().rev() {
            let bytes = usize::try_from(edit.start).unwrap()..usize::try_from(edit.end).unwrap();
            text.splice(bytes, edit.text);
        }
        Ok(String::from_utf8(text).unwrap())
    }

    #[track_caller]
    fn check(part: FilePart, unit: ColumnUnit, expected: &str) {
        assert_eq!(fixed(&[replaced(part, "X")], unit).as_deref(), Ok(expected), "{part:?} {unit:?}");
    }

    #[test]
    fn a_part_is_counted_in_what_the_tool_counts() {
        let without_b = TEXT.replace('b', "X");
        check(lines(1, 11, 1, 12), ColumnUnit::Utf16, &without_b);
        check(lines(1, 10, 1, 11), ColumnUnit::Characters, &without_b);
        check(lines(1, 13, 1, 14), ColumnUnit::Bytes, &without_b);
        check(FilePart::Bytes { offset: 12, length: 1 }, ColumnUnit::Utf16, &without_b);
        check(FilePart::Characters { offset: 10, length: 1 }, ColumnUnit::Utf16, &without_b);
        check(FilePart::Characters { offset: 9, length: 1 }, ColumnUnit::Characters, &without_b);
    }

    #[test]
    fn a_line_without_columns_keeps_its_end_and_text_is_added_anywhere() {
        check(lines(2, 0, 2, 0), ColumnUnit::Utf16, &TEXT.replace("second", "X"));
        check(lines(2, 0, 3, 1), ColumnUnit::Utf16, &TEXT.replace("second\r\n", "X"));
        check(lines(3, 1, 3, 1), ColumnUnit::Utf16, &TEXT.replace("last", "Xlast"));
        check(lines(4, 1, 4, 1), ColumnUnit::Utf16, &format!("{TEXT}X"));
    }

    #[test]
    fn several_parts_are_replaced_together_or_not_at_all() {
        let two = [replaced(lines(3, 1, 3, 5), "end"), replaced(lines(1, 5, 1, 6), "x")];
        assert_eq!(
            fixed(&two, ColumnUnit::Utf16).unwrap(),
            TEXT.replace("last", "end").replace("let a", "let x")
        );
        let refused = |replacements: &[FixedRegion]| fixed(replacements, ColumnUnit::Utf16).unwrap_err();
        let over = [replaced(lines(3, 1, 3, 4), "x"), replaced(lines(3, 2, 3, 5), "y")];
        assert!(refused(&over).contains("the same text"));
        let far = [two[0].clone(), replaced(lines(9, 1, 9, 2), "x")];
        assert!(refused(&far).contains("does not have"));
        assert!(refused(&[replaced(lines(1, 10, 1, 11), "inside of a character")]).contains("does not have"));
        assert!(refused(&[replaced(lines(3, 3, 3, 1), "backwards")]).contains("does not have"));
        assert!(refused(&[replaced(lines(3, 0, 3, 0), "last")]).contains("already"));
        assert!(refused(&[]).contains("already"));
    }

    #[test]
    fn what_the_tool_saw_must_be_there() {
        let seen = |deleted: &str| FixedRegion {
            deleted: Some(deleted.into()),
            ..replaced(lines(3, 1, 3, 5), "end")
        };
        assert!(fixed(&[seen("last")], ColumnUnit::Utf16).is_ok());
        assert!(fixed(&[seen("lost")], ColumnUnit::Utf16).unwrap_err().contains("different"));
    }
}
