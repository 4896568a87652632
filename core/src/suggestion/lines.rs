//! A text in place of commented lines.

use crate::edit::{Replacement, Text};
use crate::record::Range;

use super::line_ends::LineEnds;

/// The bytes of commented lines, newline included, or of a part of them; `None` for lines that the text does not have.
pub fn bytes_of(text: &Text, range: Range) -> Option<std::ops::Range<usize>> {
    let (first, last) = (range.span().first() - 1, range.span().last() - 1);
    if last >= text.len() {
        return None;
    }
    let Some(columns) = range.columns() else {
        return Some(text.offset(first)..text.offset(last + 1));
    };
    let start = text.offset(first) + columns.start.get() as usize - 1;
    let end = text.offset(last) + columns.end.get() as usize;
    let within = |line: u32, at: usize| at <= text.offset(line) + text.line(line).len();
    (within(first, start) && within(last, end) && start <= end).then_some(start..end)
}

/// Puts `with` in the place of lines, or of a part of them.
///
/// It gets the line ends of the file. Whole lines stay whole lines, and nothing in their place deletes them.
/// `None` for lines that the text does not have.
pub fn replace(text: &Text, range: Range, with: &[u8]) -> Option<Replacement> {
    let bytes = bytes_of(text, range)?;
    let with = match LineEnds::of(text.bytes()) {
        Some(ends) => ends.put(with),
        None => with.to_vec(),
    };
    let with = if range.columns().is_some() {
        let bare = with.strip_suffix(b"\n").unwrap_or(&with);
        bare.strip_suffix(b"\r").unwrap_or(bare).to_vec()
    } else {
        whole_lines(with, text, &bytes)
    };
    Some(Replacement::new(bytes, with, ()))
}

/// Ends the last line as the one that it replaces was ended.
fn whole_lines(mut with: Vec<u8>, text: &Text, bytes: &std::ops::Range<usize>) -> Vec<u8> {
    let ended = text.bytes()[bytes.clone()].ends_with(b"\n");
    if with.is_empty() || with.ends_with(b"\n") == ended {
        return with;
    }
    if ended {
        let crlf = LineEnds::of(text.bytes()) == Some(LineEnds::CrLf);
        with.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
    } else {
        with.pop();
        if with.last() == Some(&b'\r') {
            with.pop();
        }
    }
    with
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::TextEdit;
    use crate::record::{Columns, LineSpan};

    fn check(text: &str, lines: (u32, u32), columns: Option<(u32, u32)>, with: &str, result: Option<&str>) {
        let span = LineSpan::from_numbers(lines.0, lines.1).unwrap();
        let range = match columns {
            None => Range::lines(span),
            Some((start, end)) => {
                let columns = Columns { start: start.try_into().unwrap(), end: end.try_into().unwrap() };
                Range::with_columns(span, columns).unwrap()
            }
        };
        let text = Text::new(text);
        let made = replace(&text, range, with.as_bytes());
        let made = made.map(|made| TextEdit::single(made).apply(text.bytes()).unwrap());
        assert_eq!(made.map(|made| String::from_utf8(made).unwrap()).as_deref(), result);
    }

    #[test]
    fn lines_are_replaced_by_lines_that_end_alike() {
        check("a\nb\nc\n", (2, 2), None, "B", Some("a\nB\nc\n"));
        check("a\nb\nc\n", (2, 3), None, "B\nC\nD\n", Some("a\nB\nC\nD\n"));
        check("a\nb\nc\n", (2, 2), None, "", Some("a\nc\n"));
        check("a\r\nb\r\n", (1, 1), None, "A\nB", Some("A\r\nB\r\nb\r\n"));
        check("a\nb", (2, 2), None, "B\n", Some("a\nB"));
        check("a\n", (2, 2), None, "B", None);
    }

    #[test]
    fn a_part_of_a_line_is_replaced_by_just_that() {
        check("let x = 1;\n", (1, 1), Some((5, 5)), "y\n", Some("let y = 1;\n"));
        check("ab\ncd\n", (1, 2), Some((2, 1)), "-", Some("a-d\n"));
        check("ab\n", (1, 1), Some((2, 9)), "-", None);
    }
}
