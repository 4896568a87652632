//! How two patches of one file differ, when each was made for another version of the file.
//!
//! Pure. A hunk that does the same at the same place is in both, and is left out; the lines around it make no
//! difference. So what a rebase brought from upstream is not shown, as with `git range-diff`.

use std::collections::BTreeSet;

use gix::diff::blob::{Diff, InternedInput};

use crate::edit::{Algorithm, Hunk, LineMap, Text};

/// What a patch does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatchMark {
    /// Removes it.
    Removed,
    /// Adds it.
    Added,
}

/// A line that a patch removes or adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLine {
    /// Which of the two.
    pub mark: PatchMark,
    /// Counted from one: in the base for a line that is removed, in the head for one that is added.
    pub number: u32,
    /// The line, without its end.
    pub text: Vec<u8>,
}

/// A line of one patch or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Both patches do this; shown as in the new one.
    Same(PatchLine),
    /// Only the old patch did this.
    Gone(PatchLine),
    /// Only the new patch does this.
    Came(PatchLine),
}

/// A file before and after a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patched<'a> {
    pub base: &'a Text,
    pub head: &'a Text,
}

/// Returns the lines of those hunks in which the patches differ; none if they do the same.
pub(super) fn interdiff(old: Patched<'_>, new: Patched<'_>) -> Vec<Row> {
    let old_map = LineMap::between(old.base, old.head, Algorithm::Histogram);
    let new_map = LineMap::between(new.base, new.head, Algorithm::Histogram);
    let bases = LineMap::between(old.base, new.base, Algorithm::Histogram);
    let mut in_both = BTreeSet::new();
    let mut gone = Vec::new();
    for hunk in old_map.hunks() {
        let twin = places(&bases, hunk).into_iter().flatten().find_map(|place| {
            let at = new_map.hunks().binary_search_by_key(&place, |hunk| hunk.before.start).ok()?;
            let does_the_same = says(&new_map.hunks()[at], new) == says(hunk, old);
            (does_the_same && !in_both.contains(&at)).then_some(at)
        });
        match twin {
            Some(at) => {
                in_both.insert(at);
            }
            None => gone.extend(lines(hunk, old)),
        }
    }
    let came: Vec<PatchLine> = new_map
        .hunks()
        .iter()
        .enumerate()
        .filter(|(at, _)| !in_both.contains(at))
        .flat_map(|(_, hunk)| lines(hunk, new))
        .collect();
    rows(gone, came)
}

/// Where a hunk of the old base would begin in the new one: no place, one, or two if lines came in between.
fn places(bases: &LineMap, hunk: &Hunk) -> [Option<u32>; 2] {
    let (before, after) = bases.lengths();
    let start = hunk.before.start;
    if !hunk.before.is_empty() {
        return [bases.map_range(hunk.before.clone()).map(|lines| lines.start), None];
    }
    let behind_the_line_above = if start == 0 { Some(0) } else { bases.kept(start - 1).map(|line| line + 1) };
    let before_the_line_below = if start >= before { Some(after) } else { bases.kept(start) };
    [behind_the_line_above, before_the_line_below]
}

fn says<'a>(hunk: &Hunk, patched: Patched<'a>) -> (Vec<&'a [u8]>, Vec<&'a [u8]>) {
    let removed = hunk.before.clone().map(|line| patched.base.bare(line)).collect();
    (removed, hunk.after.clone().map(|line| patched.head.bare(line)).collect())
}

fn lines(hunk: &Hunk, patched: Patched<'_>) -> impl Iterator<Item = PatchLine> {
    let line = |mark: PatchMark, text: &Text, line: u32| PatchLine {
        mark,
        number: line + 1,
        text: text.bare(line).to_vec(),
    };
    let removed = hunk.before.clone().map(move |at| line(PatchMark::Removed, patched.base, at));
    removed.chain(hunk.after.clone().map(move |at| line(PatchMark::Added, patched.head, at)))
}

fn rows(gone: Vec<PatchLine>, came: Vec<PatchLine>) -> Vec<Row> {
    let key = |line: &PatchLine| [&[line.mark as u8], line.text.as_slice()].concat();
    let mut input = InternedInput::<Vec<u8>>::default();
    input.update_before(gone.iter().map(key));
    input.update_after(came.iter().map(key));
    let mut diff = Diff::compute(Algorithm::Histogram.into(), &input);
    diff.postprocess_no_heuristic(&input);
    let hunks: Vec<Hunk> = diff.hunks().map(|hunk| Hunk { before: hunk.before, after: hunk.after }).collect();
    if hunks.is_empty() {
        // The same words, and yet no hunk of one is in the other: they stand at other places.
        return gone.into_iter().map(Row::Gone).chain(came.into_iter().map(Row::Came)).collect();
    }
    let mut rows = Vec::new();
    let (mut gone, mut came) = (gone.into_iter(), came.into_iter());
    let (mut gone_at, mut came_at) = (0, 0);
    for hunk in hunks {
        let same = hunk.before.start - gone_at;
        gone.by_ref().take(same as usize).for_each(drop);
        rows.extend(came.by_ref().take((hunk.after.start - came_at) as usize).map(Row::Same));
        rows.extend(gone.by_ref().take(hunk.before.len()).map(Row::Gone));
        rows.extend(came.by_ref().take(hunk.after.len()).map(Row::Came));
        (gone_at, came_at) = (hunk.before.end, hunk.after.end);
    }
    rows.extend(came.map(Row::Same));
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One letter a line; a row is `=`, `<` or `>`, then `-` or `+`, then the line.
    fn check(old: (&str, &str), new: (&str, &str), expected: &str) {
        let text = |lines: &str| Text::new(lines.chars().flat_map(|c| [c, '\n']).collect::<String>());
        let (old_base, old_head, new_base, new_head) = (text(old.0), text(old.1), text(new.0), text(new.1));
        let old_patch = Patched { base: &old_base, head: &old_head };
        let rows = interdiff(old_patch, Patched { base: &new_base, head: &new_head });
        let told: Vec<String> = rows
            .iter()
            .map(|row| {
                let (sign, line) = match row {
                    Row::Same(line) => ('=', line),
                    Row::Gone(line) => ('<', line),
                    Row::Came(line) => ('>', line),
                };
                let mark = if line.mark == PatchMark::Added { '+' } else { '-' };
                format!("{sign}{mark}{}", String::from_utf8_lossy(&line.text))
            })
            .collect();
        assert_eq!(told.join(" "), expected, "{old:?} against {new:?}");
    }

    #[test]
    fn the_same_patch_elsewhere_is_no_difference() {
        check(("abcdef", "abcXef"), ("abcdef", "abcXef"), "");
        check(("abcdef", "abcXef"), ("12abcdef", "12abcXef"), "");
        check(("abcdef", "abXcdef"), ("abcdef12", "abXcdef12"), "");
        check(("abcdef", "acdef"), ("1abcdef", "1acdef"), "");
    }

    #[test]
    fn what_upstream_did_right_beside_it_is_no_difference() {
        check(("abcdef", "abcXef"), ("abCdEf", "abCXEf"), "");
        check(("abcdefg", "abcXefg"), ("aBcdeFg", "aBcXeFg"), "");
        check(("abcdef", "abcXdef"), ("abcDef", "abcXDef"), "");
        check(("abc", "abcX"), ("abc12", "abc12X"), "");
    }

    #[test]
    fn the_same_line_at_another_place_is_a_difference() {
        check(("abcdef", "abXcdef"), ("abcdef", "abcdXef"), "<+X >+X");
    }

    #[test]
    fn what_became_different_is_told_line_by_line() {
        check(("ab", "aXYZb"), ("ab", "aXyZb"), "=+X <+Y >+y =+Z");
        check(("ab", "aXb"), ("ab", "ab"), "<+X");
        check(("ab", "ab"), ("ab", "aXb"), ">+X");
        check(("abc", "aXbc"), ("abc", "aXbYc"), ">+Y");
        check(("abc", "ac"), ("abc", "abc"), "<-b");
    }

    #[test]
    fn a_change_that_upstream_took_is_gone() {
        check(("abc", "aXc"), ("aXc", "aXc"), "<-b <+X");
    }

    fn text(lines: &[String]) -> Text {
        Text::new(lines.concat())
    }

    /// Lines that are all different, some of them changed: every fourth one, beginning with `first`, by its letter.
    fn edited(changes: &str, first: usize, base: Vec<String>) -> Vec<String> {
        let mut lines = base;
        for (at, change) in changes.chars().enumerate() {
            let line = &mut lines[first + 4 * at];
            match change {
                'd' => line.clear(),
                'c' => *line = format!("changed {first} {at}\n"),
                'i' => *line = format!("{line}put in {first} {at}\n"),
                _ => {}
            }
        }
        lines
    }

    proptest! {
        #[test]
        fn what_upstream_did_elsewhere_is_never_told(ours in "[dci.]{10}", theirs in "[dci.]{10}") {
            let base: Vec<String> = (0..44).map(|line| format!("line {line}\n")).collect();
            let upstream = edited(&theirs, 3, base.clone());
            let (old_base, old_head) = (text(&base), text(&edited(&ours, 1, base)));
            let (new_base, new_head) = (text(&upstream), text(&edited(&ours, 1, upstream)));
            let old = Patched { base: &old_base, head: &old_head };
            prop_assert_eq!(interdiff(old, Patched { base: &new_base, head: &new_head }), []);
        }

        #[test]
        fn a_patch_does_not_differ_from_itself_and_two_differ_both_ways(
            base in "[ab\n]{0,20}", one in "[abc\n]{0,20}", other in "[abc\n]{0,20}",
        ) {
            let (base, one, other) = (Text::new(base), Text::new(one), Text::new(other));
            let (one, other) = (Patched { base: &base, head: &one }, Patched { base: &base, head: &other });
            prop_assert_eq!(interdiff(one, one), []);
            let same = |patched: Patched<'_>| patched.head.bare_lines().map(<[u8]>::to_vec).collect::<Vec<_>>();
            let rows = interdiff(one, other);
            prop_assert_eq!(rows.is_empty(), same(one) == same(other));
            prop_assert_eq!(interdiff(other, one).is_empty(), rows.is_empty());
        }
    }
}
