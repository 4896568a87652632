//! Where the lines are that a suggestion wrote in the place of others, once it is done.
//!
//! Texts in, lines out. Which thread that makes known to be there, and which texts are looked at, is for others to say.

use std::ops::Range;

use crate::edit::{AgreementMode, Algorithm, LineMap, Replacement, Text, TextEdit};
use crate::record::{LineSpan, SuggestedFile};

use super::carry::{CarriedEdit, carry, ended_as_now};
use super::changes_since::changes_since;
use super::fate::edit_of;

/// The lines of `current` that are in the place of the lines `commented` of `base`, since what is suggested for `file`
/// is done there.
///
/// Where they were only taken away, it is the nearest line that is left. `None` if the suggestion is not done, or does
/// nothing to those lines.
pub fn written_lines(
    file: &SuggestedFile,
    base: &[u8],
    commented: LineSpan,
    current: &[u8],
) -> Option<LineSpan> {
    let edit = edit_of(file)?;
    let before = Text::new(base);
    if file.delete || commented.last() > before.len() {
        return None;
    }
    let region = before.offset(commented.first() - 1)..before.offset(commented.last());
    let is_of_them = edit.replacements().iter().any(|part| overlaps(part, &region));
    if !is_of_them || !matches!(carry(base, &edit, current, AgreementMode::Strict), Ok(CarriedEdit::Done)) {
        return None;
    }
    let place = after(&edit, &region);
    let wanted = edit.apply(base).ok()?;
    let lines = lines_of(&Text::new(wanted.as_slice()), &place);
    let (_, wanted) = ended_as_now(base, wanted, current);
    found(&Text::new(wanted), lines, &Text::new(current))
}

/// Where bytes are after an edit, with all that came in the place of some of them; what only touches them does not count.
fn after(edit: &TextEdit, bytes: &Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (bytes.start, bytes.end);
    let (mut before, mut through) = (0_isize, 0_isize);
    for part in edit.replacements() {
        if overlaps(part, bytes) {
            (start, end) = (start.min(part.start()), end.max(part.end()));
            through += growth(part);
        } else if part.end() <= bytes.start {
            before += growth(part);
        }
    }
    start.saturating_add_signed(before)..end.saturating_add_signed(before + through)
}

fn growth(part: &Replacement) -> isize {
    part.text().len().cast_signed() - part.range().len().cast_signed()
}

fn overlaps(part: &Replacement, bytes: &Range<usize>) -> bool {
    part.start() < bytes.end && bytes.start < part.end()
}

/// The lines that some bytes are in; none for no bytes, before the line that follows.
fn lines_of(text: &Text, bytes: &Range<usize>) -> Range<u32> {
    if bytes.is_empty() {
        let at = if bytes.start >= text.bytes().len() { text.len() } else { text.line_at(bytes.start) };
        return at..at;
    }
    text.line_at(bytes.start)..text.line_at(bytes.end - 1) + 1
}

/// Where lines of what was wanted are in the text as it is.
fn found(wanted: &Text, lines: Range<u32>, current: &Text) -> Option<LineSpan> {
    let map = LineMap::between(wanted, current, Algorithm::Histogram);
    if lines.is_empty() {
        let above = (0..lines.start).rev().find_map(|line| map.kept(line));
        let nearest = above.or_else(|| (lines.start..wanted.len()).find_map(|line| map.kept(line)))?;
        return LineSpan::from_numbers(nearest + 1, nearest + 1);
    }
    let mut kept = lines.clone().filter_map(|line| map.kept(line)).peekable();
    if kept.peek().is_none()
        && let Some(moved) = only_run(wanted, &lines, current)
    {
        return LineSpan::from_numbers(moved.start + 1, moved.end);
    }
    // What somebody rewrote within the lines since, as `since` has it; an end that is kept is better known.
    let changed = changes_since(wanted.bytes(), current.bytes());
    let around = lines_of(current, &after(&changed, &(wanted.offset(lines.start)..wanted.offset(lines.end))));
    let first = map.kept(lines.start).unwrap_or(around.start);
    let last = map.kept(lines.end - 1).unwrap_or_else(|| around.end.max(around.start + 1) - 1);
    LineSpan::from_numbers(first + 1, last + 1).filter(|span| span.last() <= current.len())
}

/// The one place where all of some lines are together.
fn only_run(wanted: &Text, lines: &Range<u32>, current: &Text) -> Option<Range<u32>> {
    let count = lines.end - lines.start;
    let is_done =
        |at: &u32| (0..count).all(|line| wanted.bare(lines.start + line) == current.bare(at + line));
    let mut places = (0..(current.len() + 1).saturating_sub(count)).filter(is_done);
    let first = places.next()?;
    places.next().is_none().then_some(first..first + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Grain;
    use crate::git::{BlobId, RepoPath};
    use crate::record::SuggestedEdit;

    const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

    /// Where the lines of `BASE` are in `current`, for a suggestion that makes `wanted` of it.
    fn check(wanted: &str, commented: (u32, u32), current: &str) -> Option<(u32, u32)> {
        let edit = TextEdit::from_diff(BASE.as_bytes(), wanted.as_bytes(), Grain::Line);
        let edits = edit.replacements().iter().map(|part| SuggestedEdit {
            start: part.start() as u64,
            end: part.end() as u64,
            text: part.text().into(),
        });
        let file = SuggestedFile {
            path: RepoPath::new("f").unwrap(),
            blob: Some(BlobId::from(gix::ObjectId::null(gix::hash::Kind::Sha1))),
            new_path: None,
            mode: None,
            delete: false,
            edits: edits.collect(),
        };
        let commented = LineSpan::from_numbers(commented.0, commented.1).unwrap();
        let span = written_lines(&file, BASE.as_bytes(), commented, current.as_bytes())?;
        Some((span.first(), span.last()))
    }

    #[test]
    fn lines_that_were_replaced_are_where_the_suggestion_wrote_others() {
        let wanted = BASE.replace("three\n", "tres();\nmas();\n");
        assert_eq!(check(&wanted, (3, 3), &wanted), Some((3, 4)));
        assert_eq!(check(&wanted, (3, 3), &format!("new\n\n{wanted}more\n")), Some((5, 6)));
        assert_eq!(check(&wanted, (3, 3), &wanted.replace("two\n", "two\nthen\n")), Some((4, 5)));
        assert_eq!(check(&wanted, (3, 3), &wanted.replace('\n', "\r\n")), Some((3, 4)));
        // With what was not replaced among the commented lines, and all that was written for them.
        assert_eq!(check(&wanted, (2, 4), &wanted), Some((2, 5)));
        let wide = BASE.replace("two\nthree\nfour\n", "uno\ndos\n");
        assert_eq!(check(&wide, (3, 3), &wide), Some((2, 3)));
    }

    #[test]
    fn lines_that_were_taken_away_are_where_they_stood() {
        let wanted = BASE.replace("three\nfour\n", "");
        assert_eq!(check(&wanted, (3, 4), &wanted), Some((2, 2)));
        assert_eq!(check(&wanted, (3, 3), &format!("new\n{wanted}")), Some((3, 3)));
        let first = BASE.replace("one\n", "");
        assert_eq!(check(&first, (1, 1), &first), Some((1, 1)));
        let last = BASE.replace("six\n", "");
        assert_eq!(check(&last, (6, 6), &last), Some((5, 5)));
    }

    #[test]
    fn a_word_that_somebody_changed_beside_leaves_the_line_where_it_is() {
        let wanted = BASE.replace("three\n", "let total = sum(first, second);\n");
        let current = wanted.replace("total", "whole").replace("two\n", "two\nand a half\n");
        let expected = check(&wanted, (3, 3), &current);
        assert!(expected.is_none() || expected == Some((4, 4)), "{expected:?}");
    }

    #[test]
    fn what_is_not_done_or_about_other_lines_says_nothing() {
        let wanted = BASE.replace("three\n", "tres\n");
        assert_eq!(check(&wanted, (3, 3), BASE), None);
        assert_eq!(check(&wanted, (3, 3), &BASE.replace("three\n", "drei\n")), None);
        assert_eq!(check(&wanted, (5, 5), &wanted), None);
        assert_eq!(check(&BASE.replace("three\n", "three\nand\n"), (3, 3), BASE), None);
        assert_eq!(check(&wanted, (9, 9), &wanted), None);
    }
}
