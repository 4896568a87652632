//! Puts lines back that a change deleted.

use std::ops::Range;

use crate::edit::{Algorithm, LineMap, Mapped, Replacement, Text};

use super::line_ends::{LineEnding, ended_like};
use super::replace_lines::end_beside;

/// The replacement in `head` that puts `with` where the deleted `lines` of `base` stood, counted from zero.
///
/// Lines that came in the place of exactly these go; beside lines that came for others they are put in. `None` for
/// lines that were not deleted.
pub fn put_back(base: &Text, head: &Text, lines: Range<u32>, with: &[u8]) -> Option<Replacement> {
    let map = LineMap::between(base, head, Algorithm::Histogram);
    let (Mapped::Changed(first), Mapped::Changed(last)) =
        (map.map(lines.start), map.map(lines.end.checked_sub(1)?))
    else {
        return None;
    };
    if first != last || lines.end > base.len() {
        return None;
    }
    let hunk = &map.hunks()[first];
    let replaced = if hunk.before == lines {
        head.offset(hunk.after.start)..head.offset(hunk.after.end)
    } else {
        let line = if lines.start == hunk.before.start { hunk.after.start } else { hunk.after.end };
        head.offset(line)..head.offset(line)
    };
    let beside = end_beside(head, replaced.start);
    let mut text = ended_like(&Text::new(&head.bytes()[replaced.clone()]), with, beside);
    let end = LineEnding::of_line(&text).or(beside).unwrap_or(LineEnding::Lf).bytes();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.extend_from_slice(end);
    }
    // The last line of the file may have no newline to go on after.
    if replaced.start == head.bytes().len() && !head.bytes().is_empty() && !head.bytes().ends_with(b"\n") {
        text.splice(0..0, end.iter().copied());
        text.truncate(text.len() - end.len());
    }
    Some(Replacement::new(replaced, text, ()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::TextEdit;

    fn check(base: &str, head: &str, lines: Range<u32>, with: &str, result: Option<&str>) {
        let (base, head) = (Text::new(base), Text::new(head));
        let made = put_back(&base, &head, lines, with.as_bytes());
        let made = made.map(|made| TextEdit::single(made).apply(head.bytes()).unwrap());
        assert_eq!(made.map(|made| String::from_utf8(made).unwrap()).as_deref(), result);
    }

    #[test]
    fn deleted_lines_come_back_where_they_stood() {
        check("a\nb\nc\nd\n", "a\nd\n", 1..3, "b\nc\n", Some("a\nb\nc\nd\n"));
        check("a\nb\nc\nd\n", "a\nd\n", 1..2, "b", Some("a\nb\nd\n"));
        check("a\nb\nc\nd\n", "a\nd\n", 2..3, "c", Some("a\nc\nd\n"));
        check("a\nb\n", "a\n", 1..2, "b\n", Some("a\nb\n"));
        check("a\nb\n", "a", 1..2, "b\n", Some("a\nb"));
    }

    #[test]
    fn lines_that_came_in_their_place_go_again() {
        check("a\nold\nc\n", "a\nnew\nc\n", 1..2, "old\n", Some("a\nold\nc\n"));
        check("a\r\nold\r\nc\n", "a\r\nc\n", 1..2, "old\n", Some("a\r\nold\r\nc\n"));
        check("a\r\nold\r\nc\r\n", "a\r\nnew\r\nc\r\n", 1..2, "old\n", Some("a\r\nold\r\nc\r\n"));
    }

    #[test]
    fn lines_that_are_there_need_no_way_back() {
        check("a\nb\n", "a\nb\nc\n", 0..1, "a\n", None);
        check("a\nb\n", "c\n", 0..9, "a\n", None);
    }
}
