//! The coordinates of a diff's lines, and where a remark on one of them goes when the diff changes.
//!
//! A line of a diff has three coordinates: its offset in the diff, its line before and its line
//! after. Two diffs that share a text share a coordinate, and so a line is carried from diff to
//! diff. Only what diffs say is here: finding moved or rewritten lines is judgement, and belongs
//! to `anchoring`.
//!
//! Invariant: offsets count the whole text, kept lines included; in a hunk the deleted lines come
//! before the added ones.

use super::{LineMap, Mapped};

/// One line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineCoordinates {
    /// A line of both texts.
    Kept {
        /// Its number in the old text.
        before: u32,
        /// Its number in the new text.
        after: u32,
    },
    /// A line of the old text alone.
    Deleted {
        /// Its number in the old text.
        before: u32,
    },
    /// A line of the new text alone.
    Added {
        /// Its number in the new text.
        after: u32,
    },
}

/// A diff whose lines can be looked up by each of their coordinates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    map: LineMap,
    /// The offset in the diff of every hunk, and one more after the last line.
    starts: Vec<u32>,
}

/// What becomes of a remark on a line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkFate {
    /// The line is in the final diff, at this offset.
    Stays(u32),
    /// The line was added or kept, and the update deleted it.
    DeletedByUpdate,
    /// The line was deleted, and the new base does not have it any more.
    DeletedByBase,
    /// The line was deleted, and the final diff keeps it, at this offset.
    Restored(u32),
}

/// The diffs between an original change and a final one.
///
/// The original diff leads from an old base to an old head and the final one from the new base to
/// the new head; the update leads from head to head, and the base diff from base to base. A base
/// that did not change has a diff that keeps every line.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// From the old base to the old head: what was commented on.
    pub original: &'a Coordinates,
    /// From the old head to the new head.
    pub update: &'a Coordinates,
    /// From the old base to the new base.
    pub base: &'a Coordinates,
    /// From the new base to the new head.
    pub result: &'a Coordinates,
}

impl LineCoordinates {
    /// Its number in the old text.
    pub fn before(self) -> Option<u32> {
        match self {
            Self::Kept { before, .. } | Self::Deleted { before } => Some(before),
            Self::Added { .. } => None,
        }
    }

    /// Its number in the new text.
    pub fn after(self) -> Option<u32> {
        match self {
            Self::Kept { after, .. } | Self::Added { after } => Some(after),
            Self::Deleted { .. } => None,
        }
    }
}

impl Coordinates {
    /// Takes the diff that a map describes; costs a step for each hunk.
    pub fn new(map: LineMap) -> Self {
        let mut added = 0;
        let mut starts = Vec::with_capacity(map.hunks().len() + 1);
        for hunk in map.hunks() {
            starts.push(hunk.before.start + added);
            added += hunk.after.end - hunk.after.start;
        }
        starts.push(map.lengths().0 + added);
        Self { map, starts }
    }

    /// The map that the diff was made of.
    pub fn map(&self) -> &LineMap {
        &self.map
    }

    /// How many lines the diff has: kept, deleted and added ones.
    pub fn len(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether both texts are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All lines of the diff, in order.
    pub fn lines(&self) -> impl Iterator<Item = LineCoordinates> + '_ {
        (0..self.len()).filter_map(|offset| self.line(offset))
    }

    /// The line at an offset; `None` after the end.
    pub fn line(&self, offset: u32) -> Option<LineCoordinates> {
        if offset >= self.len() {
            return None;
        }
        let hunks = self.map.hunks();
        // The last hunk that begins at the offset or above it; the end mark is not a hunk.
        let index = self.starts[..hunks.len()].partition_point(|start| *start <= offset).checked_sub(1);
        let Some(index) = index else { return Some(LineCoordinates::Kept { before: offset, after: offset }) };
        let (hunk, inside) = (&hunks[index], offset - self.starts[index]);
        let deleted = hunk.before.end - hunk.before.start;
        let all = deleted + hunk.after.end - hunk.after.start;
        Some(if inside < deleted {
            LineCoordinates::Deleted { before: hunk.before.start + inside }
        } else if inside < all {
            LineCoordinates::Added { after: hunk.after.start + inside - deleted }
        } else {
            LineCoordinates::Kept {
                before: hunk.before.end + inside - all,
                after: hunk.after.end + inside - all,
            }
        })
    }

    /// The offset of a line of the old text; `None` if that has no such line.
    pub fn offset_of_before(&self, before: u32) -> Option<u32> {
        if before >= self.map.lengths().0 {
            return None;
        }
        Some(match self.map.map(before) {
            Mapped::Changed(index) => self.starts[index] + before - self.map.hunks()[index].before.start,
            Mapped::Kept(_) => self.offset_of_kept(before),
        })
    }

    /// The offset of a line of the new text; `None` if that has no such line.
    pub fn offset_of_after(&self, after: u32) -> Option<u32> {
        if after >= self.map.lengths().1 {
            return None;
        }
        let hunks = self.map.hunks();
        let index = hunks.partition_point(|hunk| hunk.after.end <= after);
        if let Some(hunk) = hunks.get(index).filter(|hunk| hunk.after.start <= after) {
            let deleted = hunk.before.end - hunk.before.start;
            return Some(self.starts[index] + deleted + after - hunk.after.start);
        }
        let (old, new) = index.checked_sub(1).map_or((0, 0), |i| (hunks[i].before.end, hunks[i].after.end));
        Some(self.offset_of_kept(after - new + old))
    }

    fn offset_of_kept(&self, before: u32) -> u32 {
        let hunks = self.map.hunks();
        let index = hunks.partition_point(|hunk| hunk.before.end <= before).checked_sub(1);
        index.map_or(before, |index| {
            let hunk = &hunks[index];
            let added = hunk.after.end - hunk.after.start;
            self.starts[index] + added + before - hunk.before.start
        })
    }
}

impl Transition<'_> {
    /// Where a remark on the line at `offset` of the original diff goes.
    ///
    /// An added or kept line goes through the update alone, whatever happened to the base. A deleted
    /// line goes through the base, and then must be deleted in the final diff too. `None` if there is
    /// no such line, or if the diffs do not belong together.
    pub fn fate(&self, offset: u32) -> Option<RemarkFate> {
        match self.original.line(offset)? {
            LineCoordinates::Kept { after, .. } | LineCoordinates::Added { after } => {
                match self.update.map.kept(after) {
                    Some(after) => self.result.offset_of_after(after).map(RemarkFate::Stays),
                    None => Some(RemarkFate::DeletedByUpdate),
                }
            }
            LineCoordinates::Deleted { before } => {
                let Some(before) = self.base.map.kept(before) else { return Some(RemarkFate::DeletedByBase) };
                let at = self.result.offset_of_before(before)?;
                Some(match self.result.line(at)? {
                    LineCoordinates::Deleted { .. } => RemarkFate::Stays(at),
                    LineCoordinates::Kept { .. } | LineCoordinates::Added { .. } => RemarkFate::Restored(at),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Algorithm, Text};
    use super::*;

    /// Words stand for lines.
    fn text(words: &str) -> Text {
        Text::new(words.split_whitespace().flat_map(|word| [word, "\n"]).collect::<String>())
    }

    fn diff(before: &str, after: &str) -> Coordinates {
        Coordinates::new(LineMap::between(&text(before), &text(after), Algorithm::Histogram))
    }

    /// Writes a diff as a table: offset, before and after, counted from one, then the line.
    fn table(before: &str, after: &str) -> Vec<String> {
        let (old, new) = (text(before), text(after));
        let number = |line: Option<u32>| line.map_or("-".to_owned(), |line| (line + 1).to_string());
        let row = |(offset, line): (usize, LineCoordinates)| {
            let (sign, bytes) = match line {
                LineCoordinates::Kept { before, .. } => ("=", old.line(before)),
                LineCoordinates::Deleted { before } => ("-", old.line(before)),
                LineCoordinates::Added { after } => ("+", new.line(after)),
            };
            let (before, after) = (number(line.before()), number(line.after()));
            format!("{} {before} {after} {sign} {}", offset + 1, String::from_utf8_lossy(bytes))
        };
        diff(before, after).lines().enumerate().map(row).collect()
    }

    /// The four texts that four diffs lie between.
    struct Story {
        old_base: &'static str,
        old_head: &'static str,
        new_base: &'static str,
        new_head: &'static str,
    }

    /// Expects the fate of every line of the original diff; offsets count from one.
    fn check(story: &Story, expected: &[&str]) {
        let Story { old_base, old_head, new_base, new_head } = story;
        let (original, result) = (diff(old_base, old_head), diff(new_base, new_head));
        let (update, base) = (diff(old_head, new_head), diff(old_base, new_base));
        let transition = Transition { original: &original, update: &update, base: &base, result: &result };
        let found: Vec<String> = table(old_base, old_head)
            .iter()
            .enumerate()
            .map(|(offset, row)| {
                let line = row.split(' ').skip(3).collect::<String>();
                match transition.fate(offset as u32) {
                    Some(RemarkFate::Stays(at)) => format!("{line} {}", at + 1),
                    Some(RemarkFate::Restored(at)) => format!("{line} restored {}", at + 1),
                    Some(RemarkFate::DeletedByUpdate) => format!("{line} deleted by update"),
                    Some(RemarkFate::DeletedByBase) => format!("{line} deleted by base"),
                    None => format!("{line} nowhere"),
                }
            })
            .collect();
        assert_eq!(found, expected);
        assert_eq!(transition.fate(original.len()), None, "behind the end there is no line");
    }

    const BASE: &str = "A1 A2 A3 A4 A5";
    const ORIGINAL: &str = "A1 B1 B2 B3 A2 A4 A5";
    const FINAL: &str = "A1 C1 C2 B1 B3 A2 A5";

    #[test]
    fn every_line_of_a_diff_has_its_three_coordinates() {
        assert_eq!(
            table(BASE, ORIGINAL),
            [
                "1 1 1 = A1",
                "2 - 2 + B1",
                "3 - 3 + B2",
                "4 - 4 + B3",
                "5 2 5 = A2",
                "6 3 - - A3",
                "7 4 6 = A4",
                "8 5 7 = A5"
            ]
        );
        assert_eq!(
            table(ORIGINAL, FINAL),
            [
                "1 1 1 = A1",
                "2 - 2 + C1",
                "3 - 3 + C2",
                "4 2 4 = B1",
                "5 3 - - B2",
                "6 4 5 = B3",
                "7 5 6 = A2",
                "8 6 - - A4",
                "9 7 7 = A5"
            ]
        );
        assert_eq!(
            table(BASE, FINAL),
            [
                "1 1 1 = A1",
                "2 - 2 + C1",
                "3 - 3 + C2",
                "4 - 4 + B1",
                "5 - 5 + B3",
                "6 2 6 = A2",
                "7 3 - - A3",
                "8 4 - - A4",
                "9 5 7 = A5"
            ]
        );
        assert_eq!(
            table("A1 A2 A3", "A1 B1 B2 A3"),
            ["1 1 1 = A1", "2 2 - - A2", "3 - 2 + B1", "4 - 3 + B2", "5 3 4 = A3"]
        );
        assert_eq!(table("", "A1"), ["1 - 1 + A1"]);
        assert_eq!(table("", ""), Vec::<String>::new());
    }

    #[test]
    fn on_an_unchanged_base_every_line_of_the_original_diff_has_its_fate() {
        let story = Story { old_base: BASE, old_head: ORIGINAL, new_base: BASE, new_head: FINAL };
        check(
            &story,
            &[
                "=A1 1",
                "+B1 4",
                "+B2 deleted by update",
                "+B3 5",
                "=A2 6",
                "-A3 7",
                "=A4 deleted by update",
                "=A5 9",
            ],
        );
    }

    #[test]
    fn a_deletion_that_is_taken_back_is_restored() {
        let story = Story {
            old_base: BASE,
            old_head: "A1 B1 A2 A4 A5",
            new_base: BASE,
            new_head: "A1 C1 B1 A2 A3 A4 A5",
        };
        check(&story, &["=A1 1", "+B1 3", "=A2 4", "-A3 restored 5", "=A4 6", "=A5 7"]);
        let moved = Story {
            old_base: BASE,
            old_head: "A1 B1 A2 A4 A5",
            new_base: BASE,
            new_head: "A1 C1 B1 A2 A4 A5",
        };
        check(&moved, &["=A1 1", "+B1 3", "=A2 4", "-A3 5", "=A4 6", "=A5 7"]);
    }

    /// The base loses two lines, one of them also deleted by the change; another deleted line moves up.
    #[test]
    fn a_rebase_outdates_what_the_base_lost_and_carries_the_rest() {
        let story = Story {
            old_base: "A1 A2 A3 A4 A5 A6",
            old_head: "A1 A2 A4 A6",
            new_base: "A1 A4 A5 A6",
            new_head: "A1 A4 A6",
        };
        check(&story, &["=A1 1", "=A2 deleted by update", "-A3 deleted by base", "=A4 2", "-A5 3", "=A6 4"]);
        assert_eq!(
            table(story.new_base, story.new_head),
            ["1 1 1 = A1", "2 2 2 = A4", "3 3 - - A5", "4 4 3 = A6"]
        );
    }

    #[test]
    fn a_base_that_grew_carries_added_kept_and_deleted_lines_down() {
        let story = Story {
            old_base: "A1 A2 A3",
            old_head: "A1 B1 A3",
            new_base: "N1 A1 N2 A2 A3",
            new_head: "N1 A1 N2 B1 A3 N3",
        };
        check(&story, &["=A1 2", "-A2 4", "+B1 5", "=A3 6"]);
    }

    #[test]
    fn a_line_that_the_new_base_has_already_is_kept_instead_of_added() {
        let story = Story { old_base: "A1 A2", old_head: "A1 B1", new_base: "A1 B1 A2", new_head: "A1 B1" };
        check(&story, &["=A1 1", "-A2 3", "+B1 2"]);
    }

    #[test]
    fn a_rebase_can_restore_one_deletion_and_outdate_another() {
        let story =
            Story { old_base: "A1 A2 A3 A4", old_head: "A1", new_base: "A1 A2 A4", new_head: "A1 A2" };
        check(&story, &["=A1 1", "-A2 restored 2", "-A3 deleted by base", "-A4 3"]);
    }

    proptest! {
        #[test]
        fn every_coordinate_leads_back_to_its_line(old in "([a-e] ){0,24}", new in "([a-e] ){0,24}") {
            let diff = diff(&old, &new);
            let (before, after) = diff.map().lengths();
            let mut next = (0, 0);
            for (offset, line) in diff.lines().enumerate() {
                for (number, next) in [(line.before(), &mut next.0), (line.after(), &mut next.1)] {
                    if let Some(number) = number {
                        prop_assert_eq!(number, *next, "no line is left out, and none comes twice");
                        *next += 1;
                    }
                }
                if let Some(line) = line.before() {
                    prop_assert_eq!(diff.offset_of_before(line), Some(offset as u32));
                }
                if let Some(line) = line.after() {
                    prop_assert_eq!(diff.offset_of_after(line), Some(offset as u32));
                }
            }
            prop_assert_eq!(next, (before, after));
            prop_assert_eq!((diff.offset_of_before(before), diff.offset_of_after(after)), (None, None));
        }

        #[test]
        fn where_nothing_changes_every_line_stays(old in "([a-e] ){0,24}", new in "([a-e] ){0,24}") {
            let (original, base, update) = (diff(&old, &new), diff(&old, &old), diff(&new, &new));
            let transition =
                Transition { original: &original, update: &update, base: &base, result: &original };
            for offset in 0..original.len() {
                prop_assert_eq!(transition.fate(offset), Some(RemarkFate::Stays(offset)));
            }
        }
    }
}
