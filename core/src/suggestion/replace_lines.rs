//! A text in place of commented lines.

use crate::edit::{Replacement, Text};
use crate::record::Range;

use super::line_ends::{LineEnding, ended_like};

/// What some programs put at the beginning of a file in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
/// Each line ends as the one that it replaces, and a further one as its neighbour. Whole lines stay whole lines, and
/// nothing in their place deletes them. A mark of UTF-8 at the beginning of the file stays there. `None` for lines that
/// the text does not have.
pub fn replace(text: &Text, range: Range, with: &[u8]) -> Option<Replacement> {
    let mut bytes = bytes_of(text, range)?;
    let mut with = with;
    if bytes.start < MARK.len() && text.bytes().starts_with(MARK) {
        bytes = MARK.len()..bytes.end.max(MARK.len());
        with = with.strip_prefix(MARK).unwrap_or(with);
    }
    let beside = end_beside(text, bytes.start);
    let with = ended_like(&Text::new(&text.bytes()[bytes.clone()]), with, beside);
    let with = if range.columns().is_some() {
        let bare = with.strip_suffix(b"\n").unwrap_or(&with);
        bare.strip_suffix(b"\r").unwrap_or(bare).to_vec()
    } else {
        whole_lines(with, &text.bytes()[bytes.clone()])
    };
    Some(Replacement::new(bytes, with, ()))
}

/// What is to be in the place of a whole file, with the mark of UTF-8 that the file begins with.
pub fn whole_file(text: &[u8], with: &[u8]) -> Vec<u8> {
    let is_marked = text.starts_with(MARK) && !with.starts_with(MARK) && !with.is_empty();
    [if is_marked { MARK } else { b"" }, with].concat()
}

/// Ends the last line as the one that it replaces was ended.
fn whole_lines(mut with: Vec<u8>, old: &[u8]) -> Vec<u8> {
    let ended = LineEnding::of_line(old);
    if with.is_empty() || with.ends_with(b"\n") == ended.is_some() {
        return with;
    }
    if let Some(ends) = ended {
        with.extend_from_slice(ends.bytes());
    } else {
        with.pop();
        if with.last() == Some(&b'\r') {
            with.pop();
        }
    }
    with
}

/// How the line before a place ends, else the line that is there.
pub(super) fn end_beside(text: &Text, at: usize) -> Option<LineEnding> {
    let line = text.line_at(at);
    let near = [line.checked_sub(1), Some(line)].into_iter().flatten().filter(|line| *line < text.len());
    let mut ends =
        near.map(|line| LineEnding::of_line(&text.bytes()[text.offset(line)..text.offset(line + 1)]));
    ends.find_map(|ends| ends)
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
    fn each_line_keeps_its_own_end_and_new_ones_take_their_neighbours() {
        let mixed = "a\r\nb\nc\r\nd\n";
        check(mixed, (1, 1), None, "A\n", Some("A\r\nb\nc\r\nd\n"));
        check(mixed, (2, 2), None, "B\r\n", Some("a\r\nB\nc\r\nd\n"));
        check(mixed, (1, 3), None, "A\nB\nC\nmore\n", Some("A\r\nB\nC\r\nmore\r\nd\n"));
        check(mixed, (2, 2), None, "b\nmore", Some("a\r\nb\nmore\nc\r\nd\n"));
        check("a\r\nb", (2, 2), None, "B\nC\n", Some("a\r\nB\r\nC"));
    }

    #[test]
    fn the_mark_of_utf_8_stays_where_it_is() {
        let marked = "\u{feff}a\nb\n";
        check(marked, (1, 1), None, "A\n", Some("\u{feff}A\nb\n"));
        check(marked, (1, 1), None, "\u{feff}A", Some("\u{feff}A\nb\n"));
        check(marked, (1, 2), None, "", Some("\u{feff}"));
        check(marked, (1, 1), Some((1, 4)), "A", Some("\u{feff}A\nb\n"));
        check(marked, (2, 2), None, "B", Some("\u{feff}a\nB\n"));
        assert_eq!(whole_file(marked.as_bytes(), b"A\n"), "\u{feff}A\n".as_bytes());
        assert_eq!(whole_file(b"a\n", b"A\n"), b"A\n");
    }

    #[test]
    fn a_part_of_a_line_is_replaced_by_just_that() {
        check("let x = 1;\n", (1, 1), Some((5, 5)), "y\n", Some("let y = 1;\n"));
        check("ab\ncd\n", (1, 2), Some((2, 1)), "-", Some("a-d\n"));
        check("ab\n", (1, 1), Some((2, 9)), "-", None);
    }
}
