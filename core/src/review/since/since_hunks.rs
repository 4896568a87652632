//! The lines in which two patches differ, in hunks with the lines around them.
//!
//! Pure. Hunks are numbered as in the new patch, and what is around a line is as the new patch leaves it.

use std::ops::Range;

use super::interdiff::{PatchLine, PatchMark, Patched, Row};
use crate::edit::{Algorithm, LineMap, Mapped, Text};

/// So many lines are shown around each difference, as in git.
const AROUND: u32 = 3;

/// No more of a line is shown as the name of a function, as in git.
const MAX_FUNCTION_BYTES: usize = 80;

/// A hunk in which two patches differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinceHunk {
    /// The lines of the new base: the first one, counted from one, and how many.
    pub before: (u32, u32),
    /// The lines of the new head.
    pub after: (u32, u32),
    /// The line above that begins a function or another part of the file.
    pub function: Option<Vec<u8>>,
    /// What is in it.
    pub rows: Vec<HunkRow>,
}

/// A line of such a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkRow {
    /// One that a patch removes or adds.
    Patch(Row),
    /// One that the new patch leaves as it is: its number in the new head, and what it says.
    Around(u32, Vec<u8>),
}

/// Puts rows into hunks.
pub(super) fn since_hunks(rows: &[Row], old: Patched<'_>, new: Patched<'_>) -> Vec<SinceHunk> {
    let places = Places::new(old, new);
    let mut hunks: Vec<SinceHunk> = Vec::new();
    let mut open: Option<OpenSinceHunk> = None;
    for (row, at) in rows.iter().zip(places.of_all(rows)) {
        let mut hunk = match open.take() {
            Some(hunk) if at <= hunk.next.saturating_add(2 * AROUND) => hunk,
            last => {
                let end = last.as_ref().map_or(0, |hunk| hunk.next);
                hunks.extend(last.map(|hunk| places.close(hunk, at)));
                let end = end.max(hunks.last().map_or(0, |hunk| hunk.after.0 + hunk.after.1 - 1));
                OpenSinceHunk { next: at.saturating_sub(AROUND).max(end), rows: Vec::new() }
            }
        };
        places.fill(&mut hunk, at);
        if let Row::Same(line) | Row::Came(line) = row
            && line.mark == PatchMark::Added
        {
            hunk.next = at + 1;
        }
        hunk.rows.push(HunkRow::Patch(row.clone()));
        open = Some(hunk);
    }
    hunks.extend(open.map(|hunk| places.close(hunk, u32::MAX)));
    hunks
}

/// A hunk to which rows are still added.
struct OpenSinceHunk {
    /// The next line of the new head.
    next: u32,
    rows: Vec<HunkRow>,
}

/// Where the lines of both patches are in the new head.
struct Places<'a> {
    new: Patched<'a>,
    patch: LineMap,
    heads: LineMap,
    from_old_base: LineMap,
}

impl<'a> Places<'a> {
    fn new(old: Patched<'_>, new: Patched<'a>) -> Self {
        let map = |one: &Text, other: &Text| LineMap::between(one, other, Algorithm::Histogram);
        Self {
            new,
            patch: map(new.base, new.head),
            heads: map(old.head, new.head),
            from_old_base: map(old.base, new.head),
        }
    }

    /// The line of the new head, counted from zero, at which each row is shown; none is before the one above it.
    ///
    /// What only the old patch did can be anywhere, and is kept between what the new one does.
    fn of_all(&self, rows: &[Row]) -> Vec<u32> {
        let mut places: Vec<u32> = rows.iter().map(|row| self.of(row)).collect();
        let mut most = self.new.head.len();
        for (row, place) in rows.iter().zip(&mut places).rev() {
            *place = (*place).min(most);
            most = if matches!(row, Row::Gone(_)) { most } else { *place };
        }
        let mut least = 0;
        for (row, place) in rows.iter().zip(&mut places) {
            *place = (*place).max(least);
            let is_line = matches!(row, Row::Same(line) | Row::Came(line) if line.mark == PatchMark::Added);
            least = if is_line { *place + 1 } else { *place };
        }
        places
    }

    fn of(&self, row: &Row) -> u32 {
        let (map, line) = match row {
            Row::Same(PatchLine { mark: PatchMark::Added, number, .. })
            | Row::Came(PatchLine { mark: PatchMark::Added, number, .. }) => return number - 1,
            Row::Same(line) | Row::Came(line) => (&self.patch, line),
            Row::Gone(line) if line.mark == PatchMark::Added => (&self.heads, line),
            Row::Gone(line) => (&self.from_old_base, line),
        };
        match map.map(line.number - 1) {
            Mapped::Kept(line) => line,
            Mapped::Changed(hunk) => map.hunks()[hunk].after.start,
        }
    }

    /// Adds the lines of the new head up to this one.
    fn fill(&self, hunk: &mut OpenSinceHunk, until: u32) {
        for line in hunk.next..until.min(self.new.head.len()) {
            hunk.rows.push(self.around(line));
        }
        hunk.next = hunk.next.max(until.min(self.new.head.len()));
    }

    fn around(&self, line: u32) -> HunkRow {
        let (number, text) = (line + 1, self.new.head.line(line).to_vec());
        if self.patch.hunks().iter().any(|hunk| hunk.after.contains(&line)) {
            return HunkRow::Patch(Row::Same(PatchLine { mark: PatchMark::Added, number, text }));
        }
        HunkRow::Around(number, text)
    }

    /// Ends a hunk, before a line that is in the next one.
    fn close(&self, mut hunk: OpenSinceHunk, before: u32) -> SinceHunk {
        let until = hunk.next.saturating_add(AROUND).min(before);
        self.fill(&mut hunk, until);
        let is_new = |row: &&HunkRow, mark: PatchMark| match row {
            HunkRow::Around(..) => true,
            HunkRow::Patch(Row::Same(line) | Row::Came(line)) => line.mark == mark,
            HunkRow::Patch(Row::Gone(_)) => false,
        };
        let count = |mark: PatchMark| {
            u32::try_from(hunk.rows.iter().filter(|row| is_new(row, mark)).count()).unwrap_or(u32::MAX)
        };
        let (removed, added) = (count(PatchMark::Removed), count(PatchMark::Added));
        let first = hunk.next - added.min(hunk.next);
        let base = self.base_of(&hunk.rows, first);
        let start = |line: u32, count: u32| if count == 0 { line } else { line + 1 };
        SinceHunk {
            before: (start(base, removed), removed),
            after: (start(first, added), added),
            function: function(self.new.head, 0..first),
            rows: hunk.rows,
        }
    }

    /// The first line of the new base in a hunk, counted from zero, if the hunk begins with this line of the head.
    fn base_of(&self, rows: &[HunkRow], first: u32) -> u32 {
        let back = self.patch.invert();
        let in_base = |row: &HunkRow| match row {
            HunkRow::Around(number, _) => back.kept(number - 1),
            HunkRow::Patch(Row::Same(line) | Row::Came(line)) if line.mark == PatchMark::Removed => {
                Some(line.number - 1)
            }
            HunkRow::Patch(_) => None,
        };
        rows.iter().find_map(in_base).unwrap_or_else(|| match back.map(first) {
            Mapped::Kept(line) => line,
            Mapped::Changed(at) => back.hunks()[at].after.start,
        })
    }
}

/// The last of these lines that begins with a letter: what git takes for the start of a function if it does not know
/// the language.
fn function(text: &Text, lines: Range<u32>) -> Option<Vec<u8>> {
    let begins = |line: &u32| {
        text.line(*line).first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$".contains(byte))
    };
    let line = text.line(lines.rev().find(begins)?).trim_ascii_end();
    Some(line[..line.len().min(MAX_FUNCTION_BYTES)].to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::interdiff::interdiff;
    use super::*;

    /// Each hunk as its header and its lines, a sign for the change before the mark of the line.
    fn check(old: (&str, &str), new: (&str, &str), expected: &[&str]) {
        let text = |lines: &str| Text::new(lines.replace(' ', "\n") + "\n");
        let (old_base, old_head, new_base, new_head) = (text(old.0), text(old.1), text(new.0), text(new.1));
        let old = Patched { base: &old_base, head: &old_head };
        let new = Patched { base: &new_base, head: &new_head };
        let mut told = Vec::new();
        for hunk in since_hunks(&interdiff(old, new), old, new) {
            let function = hunk.function.map(|line| String::from_utf8(line).unwrap()).unwrap_or_default();
            let ((a, b), (c, d)) = (hunk.before, hunk.after);
            told.push(format!("@@ -{a},{b} +{c},{d} @@ {function}"));
            for row in hunk.rows {
                let (sign, line) = match row {
                    HunkRow::Around(_, text) => {
                        told.push(format!("  {}", String::from_utf8(text).unwrap()));
                        continue;
                    }
                    HunkRow::Patch(Row::Same(line)) => (' ', line),
                    HunkRow::Patch(Row::Gone(line)) => ('-', line),
                    HunkRow::Patch(Row::Came(line)) => ('+', line),
                };
                let mark = if line.mark == PatchMark::Added { '+' } else { '-' };
                told.push(format!("{sign}{mark}{}", String::from_utf8(line.text).unwrap()));
            }
        }
        assert_eq!(told, expected, "{old_base:?}");
    }

    #[test]
    fn a_difference_has_lines_around_it_and_the_numbers_of_the_new_patch() {
        check(
            ("f 1 2 3 4 5 6", "f 1 2 3 X 5 6"),
            ("0 f 1 2 3 4 5 6", "0 f 1 2 3 Y 5 6"),
            &["@@ -3,6 +3,6 @@ f", "  1", "  2", "  3", " -4", "-+X", "++Y", "  5", "  6"],
        );
        check(("a b c", "a b c"), ("a b c", "a b N c"), &["@@ -1,3 +1,4 @@ ", "  a", "  b", "++N", "  c"]);
    }

    #[test]
    fn what_is_no_longer_done_is_shown_where_that_is_now() {
        check(
            ("1 2 3 4 5", "1 2 X 3 4 5"),
            ("1 2 3 4 5", "1 2 3 4 5"),
            &["@@ -1,5 +1,5 @@ ", "  1", "  2", "-+X", "  3", "  4", "  5"],
        );
        check(
            ("1 2 3 4", "1 3 4"),
            ("1 2 3 4", "1 2 3 4"),
            &["@@ -1,4 +1,4 @@ ", "  1", "--2", "  2", "  3", "  4"],
        );
    }

    #[test]
    fn a_file_that_is_new_or_deleted_has_lines_on_one_side() {
        let (full, none) = (Text::new("1\n2\n3\n"), Text::new(""));
        let (old, new) = (Patched { base: &full, head: &full }, Patched { base: &full, head: &none });
        let hunks = since_hunks(&interdiff(old, new), old, new);
        assert_eq!((hunks[0].before, hunks[0].after, hunks[0].rows.len()), ((1, 3), (0, 0), 3));
        let (old, new) = (Patched { base: &none, head: &none }, Patched { base: &none, head: &full });
        let hunks = since_hunks(&interdiff(old, new), old, new);
        assert_eq!((hunks[0].before, hunks[0].after, hunks[0].rows.len()), ((0, 0), (1, 3), 3));
    }

    proptest! {
        #[test]
        fn every_difference_is_in_one_hunk_and_hunks_do_not_overlap(
            base in "[ab\n]{0,30}", upstream in "[ab\n]{0,30}", one in "[abc\n]{0,30}", other in "[abc\n]{0,30}",
        ) {
            let texts = [base, one, upstream, other].map(Text::new);
            let old = Patched { base: &texts[0], head: &texts[1] };
            let new = Patched { base: &texts[2], head: &texts[3] };
            let rows = interdiff(old, new);
            let hunks = since_hunks(&rows, old, new);
            let differs = |row: &&Row| !matches!(row, Row::Same(_));
            let told: Vec<&Row> = hunks.iter().flat_map(|hunk| &hunk.rows).filter_map(|row| match row {
                HunkRow::Patch(row) => Some(row),
                HunkRow::Around(..) => None,
            }).filter(differs).collect();
            prop_assert_eq!(told, rows.iter().filter(differs).collect::<Vec<_>>());
            let mut end = 0;
            for hunk in &hunks {
                prop_assert!(hunk.after.1 == 0 || hunk.after.0 > end, "{:?}", hunks);
                let is_new = |row: &&HunkRow| match row {
                    HunkRow::Around(..) => true,
                    HunkRow::Patch(Row::Same(line) | Row::Came(line)) => line.mark == PatchMark::Added,
                    HunkRow::Patch(Row::Gone(_)) => false,
                };
                let numbers = hunk.rows.iter().filter(is_new).map(|row| match row {
                    HunkRow::Around(number, _) => *number,
                    HunkRow::Patch(Row::Same(line) | Row::Came(line) | Row::Gone(line)) => line.number,
                });
                prop_assert_eq!(numbers.collect::<Vec<_>>(), (hunk.after.0..hunk.after.0 + hunk.after.1).collect::<Vec<_>>());
                end = end.max(hunk.after.0 + hunk.after.1.saturating_sub(1));
            }
        }
    }

    #[test]
    fn distant_differences_are_hunks_of_their_own() {
        let base = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16";
        check(
            (base, base),
            (base, "1 two 3 4 5 6 7 8 9 10 11 12 13 14 fifteen 16"),
            &[
                "@@ -1,5 +1,5 @@ ",
                "  1",
                "+-2",
                "++two",
                "  3",
                "  4",
                "  5",
                "@@ -12,5 +12,5 @@ two",
                "  12",
                "  13",
                "  14",
                "+-15",
                "++fifteen",
                "  16",
            ],
        );
    }
}
