//! Both sides of a conflict in one text, between marks, as git writes them.

use crate::edit::{Replacement, TextEdit};

use super::carry::ended_as_now;
use super::changes_since::by_lines;
use super::conflict_marks;
use super::line_ends::LineEnding;

/// The text in which everything that agrees is done, and what does not is between marks.
///
/// `edit` was made for `base`; `current` is what became of `base` since. `name` says whose side the second one is.
/// Fails for an edit that does not fit.
pub fn merge_with_marks(
    base: &[u8],
    edit: &TextEdit,
    current: &[u8],
    name: &str,
) -> Result<Vec<u8>, crate::edit::EditError> {
    let wanted = edit.apply(base)?;
    let ends = LineEnding::of(current).unwrap_or(LineEnding::Lf);
    let (base, wanted) = ended_as_now(base, wanted, current);
    let yours = by_lines(&base, current).into_replacements();
    let theirs = by_lines(&base, &wanted).into_replacements();
    let mut merged = Vec::with_capacity(current.len() + wanted.len() / 4);
    let (mut at, mut one, mut other) = (0, 0, 0);
    while one < yours.len() || other < theirs.len() {
        let start = [yours.get(one), theirs.get(other)].into_iter().flatten().map(Replacement::start).min();
        let start = start.expect("there is a replacement left");
        merged.extend_from_slice(&base[at..start]);
        // All that touch become one place.
        let (mut end, first) = (start, (one, other));
        loop {
            let grown = (one, other);
            for (list, next) in [(&yours, &mut one), (&theirs, &mut other)] {
                while let Some(touching) = list.get(*next).filter(|next| next.start() <= end) {
                    end = end.max(touching.end());
                    *next += 1;
                }
            }
            if grown == (one, other) {
                break;
            }
        }
        let side = |parts: &[Replacement]| side_of(&base, start..end, parts);
        let (yours_here, theirs_here) = (side(&yours[first.0..one]), side(&theirs[first.1..other]));
        let whole = &base[start..end];
        if yours_here == theirs_here || theirs_here == whole {
            merged.extend_from_slice(&yours_here);
        } else if yours_here == whole {
            merged.extend_from_slice(&theirs_here);
        } else {
            let parts = [
                (conflict_marks::YOURS, &yours_here[..]),
                (conflict_marks::BASE, whole),
                (conflict_marks::SUGGESTED, &theirs_here),
            ];
            for (mark, text) in parts {
                push_line(&mut merged, mark.as_bytes(), ends);
                merged.extend_from_slice(text);
            }
            push_line(&mut merged, format!("{}{name}", conflict_marks::END).as_bytes(), ends);
        }
        at = end;
    }
    merged.extend_from_slice(&base[at..]);
    Ok(merged)
}

fn side_of(base: &[u8], range: std::ops::Range<usize>, parts: &[Replacement]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = range.start;
    for part in parts {
        text.extend_from_slice(&base[at..part.start()]);
        text.extend_from_slice(part.text());
        at = part.end();
    }
    text.extend_from_slice(&base[at..range.end]);
    text
}

/// Begins a line where the text before has none.
fn push_line(text: &mut Vec<u8>, line: &[u8], ends: LineEnding) {
    let end = ends.bytes();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.extend_from_slice(end);
    }
    text.extend_from_slice(line);
    text.extend_from_slice(end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Grain;

    fn check(base: &str, wanted: &str, current: &str) -> String {
        let edit = TextEdit::from_diff(base.as_bytes(), wanted.as_bytes(), Grain::Line);
        let merged = merge_with_marks(base.as_bytes(), &edit, current.as_bytes(), "3f9c1a2").unwrap();
        String::from_utf8(merged).unwrap()
    }

    #[test]
    fn what_agrees_is_done_and_what_does_not_is_marked() {
        let base = "a\nb\nc\nd\ne\n";
        assert_eq!(check(base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\n"), "a\nB\nc\nd\nE\n");
        assert_eq!(check(base, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"), "a\nB\nc\nd\ne\n");
        assert_eq!(
            check(base, "A\nb\nC\nd\ne\n", "a\nb\nX\nd\ne\n"),
            "A\nb\n<<<<<<< yours\nX\n||||||| when it was suggested\nc\n=======\nC\n>>>>>>> 3f9c1a2\nd\ne\n"
        );
        let crlf = check("a\nb\n", "a\nB\n", "a\r\nx\r\n");
        assert!(
            crlf.contains("=======\r\nB\r\n>>>>>>>") && !crlf.replace("\r\n", "").contains('\n'),
            "{crlf:?}"
        );
    }
}
