//! Where something that was said elsewhere lands in the text that there is here.
//!
//! Pure: a text and a place in, lines out. Which text is looked at is `import`'s choice.

use postil_core::edit::Text;
use postil_protocol::{ColumnUnit, Expected, Span};

/// Where it lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landing {
    /// On the reported lines; their columns count bytes.
    AsTold(Span),
    /// On other lines, which have the reported text.
    Found(Span),
    /// Nowhere: the file does not contain the reported text.
    Lost,
    /// Nowhere: there are no such lines.
    OutOfFile,
}

/// Finds the lines that are meant.
///
/// White space around lines is ignored. Of several equal lines, the nearest one with the reported neighbours
/// is used. Without such neighbours, a line is used only if it occurs once.
pub(crate) fn land(text: &Text, told: Span, unit: ColumnUnit, expected: Option<&Expected>) -> Landing {
    let Some(expected) = expected else {
        return if told.start <= text.len() {
            Landing::AsTold(cut(text, told, unit))
        } else {
            Landing::OutOfFile
        };
    };
    if told.start <= text.len() && is_line(text, told.start, expected) {
        return Landing::AsTold(cut(text, told, unit));
    }
    if expected.line.trim().is_empty() {
        return Landing::Lost;
    }
    let alike: Vec<u32> = (1..=text.len()).filter(|line| is_line(text, *line, expected)).collect();
    let near = |line: &&u32| line.abs_diff(told.start);
    let knows_neighbours = expected.before.is_some() || expected.after.is_some();
    let among = alike.iter().filter(|line| has_neighbours(text, **line, expected));
    let found = match (among.min_by_key(near), alike.as_slice()) {
        (Some(line), _) if knows_neighbours => Some(*line),
        (_, [only]) => Some(*only),
        _ => None,
    };
    match found {
        None => Landing::Lost,
        Some(line) => {
            let lines = told.end.saturating_sub(told.start);
            Landing::Found(cut(text, Span { start: line, end: line.saturating_add(lines), ..told }, unit))
        }
    }
}

fn is_line(text: &Text, line: u32, expected: &Expected) -> bool {
    let (there, told) = (trimmed(text, line), expected.line.trim());
    if expected.part { !told.is_empty() && there.contains(told) } else { there == told }
}

fn has_neighbours(text: &Text, line: u32, expected: &Expected) -> bool {
    let is = |told: &Option<String>, line: Option<u32>| match (told, line) {
        (None, _) => true,
        (Some(told), Some(line)) => trimmed(text, line) == told.trim(),
        (Some(told), None) => told.trim().is_empty(),
    };
    let before = line.checked_sub(1).filter(|line| *line > 0);
    let after = line.checked_add(1).filter(|line| *line <= text.len());
    is(&expected.before, before) && is(&expected.after, after)
}

fn trimmed(text: &Text, line: u32) -> String {
    String::from_utf8_lossy(text.line(line - 1)).trim().to_owned()
}

/// The lines as far as the text has them, with columns that count bytes; columns that are not there are left out.
fn cut(text: &Text, span: Span, unit: ColumnUnit) -> Span {
    let end = span.end.clamp(span.start, text.len().max(span.start));
    let lines = Span::lines(span.start, end);
    let (Some(start_column), Some(end_column)) = (span.start_column, span.end_column) else { return lines };
    let first = byte_of(text.line(span.start - 1), start_column, unit);
    let last_line = text.line(end - 1);
    let last = if end < span.end { None } else { byte_of(last_line, end_column, unit) };
    // What goes beyond the last line goes to its end.
    let last = last.map_or(last_line.len(), |character| character.end);
    match first {
        Some(first) if last > 0 && (span.start < end || first.start < last) => Span {
            start_column: u32::try_from(first.start + 1).ok(),
            end_column: u32::try_from(last).ok(),
            ..lines
        },
        _ => lines,
    }
}

/// The bytes of the character at a column.
fn byte_of(line: &[u8], column: u32, unit: ColumnUnit) -> Option<std::ops::Range<usize>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let wanted = usize::try_from(column).ok()?.checked_sub(1)?;
    if unit == ColumnUnit::Bytes {
        return (wanted < line.len()).then_some(wanted..wanted + 1);
    }
    let mut passed = 0;
    for (at, character) in std::str::from_utf8(line).ok()?.char_indices() {
        passed += if unit == ColumnUnit::Utf16 { character.len_utf16() } else { 1 };
        if passed > wanted {
            return Some(at..at + character.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n  same\nb\nsame\nc\nlone\n";

    fn told(line: &str, before: &str, after: &str) -> Expected {
        let neighbour = |text: &str| Some(text.to_owned()).filter(|text| text != "?");
        Expected { line: line.into(), before: neighbour(before), after: neighbour(after), part: false }
    }

    fn check(start: u32, expected: impl Into<Option<Expected>>, landing: Landing) {
        let expected = expected.into();
        let text = Text::new(TEXT);
        let found = land(&text, Span::lines(start, start), ColumnUnit::Bytes, expected.as_ref());
        assert_eq!(found, landing, "{start} {expected:?}");
    }

    #[test]
    fn the_told_line_counts_unless_its_text_is_another() {
        let at = |line| Span::lines(line, line);
        check(2, None, Landing::AsTold(at(2)));
        check(99, None, Landing::OutOfFile);
        check(2, Some(told("same", "x", "y")), Landing::AsTold(at(2)));
        check(1, Some(told("same", "b", "c")), Landing::Found(at(4)));
        check(6, Some(told("same", "a", "b")), Landing::Found(at(2)));
        check(1, Some(told("lone", "?", "?")), Landing::Found(at(6)));
        check(1, Some(told("lone", "other", "lines")), Landing::Found(at(6)));
        check(1, Some(told("same", "?", "?")), Landing::Lost);
        check(1, Some(told("gone", "a", "b")), Landing::Lost);
        check(99, Some(told("gone", "", "")), Landing::Lost);
        check(1, Some(told("", "", "")), Landing::Lost);
    }

    #[test]
    fn columns_are_counted_in_what_the_report_counts() {
        let check = |unit, columns: (u32, u32), bytes: Option<(u32, u32)>| {
            let span = Span { start: 1, end: 1, start_column: Some(columns.0), end_column: Some(columns.1) };
            let Landing::AsTold(span) = land(&Text::new("a\u{10400}b\n"), span, unit, None) else { panic!() };
            assert_eq!(span.start_column.zip(span.end_column), bytes, "{unit:?} {columns:?}");
        };
        check(ColumnUnit::Bytes, (6, 6), Some((6, 6)));
        check(ColumnUnit::Utf16, (4, 4), Some((6, 6)));
        check(ColumnUnit::Utf16, (2, 3), Some((2, 5)));
        check(ColumnUnit::Characters, (3, 3), Some((6, 6)));
        check(ColumnUnit::Characters, (2, 2), Some((2, 5)));
        check(ColumnUnit::Bytes, (9, 9), None);
        check(ColumnUnit::Bytes, (0, 0), None);
    }
}
