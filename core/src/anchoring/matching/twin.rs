//! Whether a diff kept lines by choice: they have a twin, and nothing says which of the two was kept.
//!
//! In `a x b x c` with one `x b` deleted, either `x` may be the one that is left: a diff slides the hunk to where it
//! reads best. And lines that were kept without anything beside them, while equal ones came or went, may have changed
//! places with these. No text says who was meant, so what is kept by choice is never called anchored.

use std::ops::Range;

use crate::edit::{Hunk, LineMap, Text};

/// Whether nothing distinguishes `lines`, which `map` kept, from a twin of theirs.
///
/// Looks at the hunks beside them, and only if nothing else is kept there at all hunks.
pub(crate) fn is_undecided(old: &Text, new: &Text, map: &LineMap, lines: &Range<u32>) -> bool {
    can_slide(old, new, map, lines) || (is_alone(map, lines) && has_loose_twin(old, new, map, lines))
}

/// Whether nothing right beside `lines` was kept with them.
fn is_alone(map: &LineMap, lines: &Range<u32>) -> bool {
    let Some(first) = map.kept(lines.start) else { return true };
    let is_beside = |line: u32, of: u32| map.kept(line) == Some(of);
    let above = lines.start.checked_sub(1).is_some_and(|line| first > 0 && is_beside(line, first - 1));
    let below = lines.end < map.lengths().0 && is_beside(lines.end, first + lines.end - lines.start);
    !above && !below
}

/// Whether the first of `lines` is among what is gone or fresh as well.
fn has_loose_twin(old: &Text, new: &Text, map: &LineMap, lines: &Range<u32>) -> bool {
    let line = old.bare(lines.start).trim_ascii();
    let is_twin = |text: &Text, at: u32| text.bare(at).trim_ascii() == line;
    map.hunks().iter().any(|hunk| {
        hunk.before.clone().any(|at| is_twin(old, at)) || hunk.after.clone().any(|at| is_twin(new, at))
    })
}

/// Whether a hunk can slide over all of `lines`.
///
/// Only lines that were inserted or deleted alone can slide: a replacement is where it is. Nor does one slide
/// out of a block: a function that was inserted after another one does not begin with that one's last statement,
/// even if it ends with the same.
fn can_slide(old: &Text, new: &Text, map: &LineMap, lines: &Range<u32>) -> bool {
    let hunks = map.hunks();
    let below = hunks.partition_point(|hunk| hunk.before.end <= lines.start);
    let count = lines.end - lines.start;
    let up = hunks.get(below).is_some_and(|hunk| {
        let over = hunk.before.start - lines.start;
        moved_alone(hunk, old, new).is_some_and(|(text, run)| {
            let passed = run.start - over + count..run.start;
            (1..=over).all(|by| are_same(text, run.start - by, run.end - by))
                && !leaves_block(text, run.start - over, passed)
        })
    });
    up || below.checked_sub(1).is_some_and(|above| {
        let over = lines.end - hunks[above].before.end;
        moved_alone(&hunks[above], old, new).is_some_and(|(text, run)| {
            let passed = run.end..run.end + over - count;
            (0..over).all(|by| are_same(text, run.start + by, run.end + by))
                && !leaves_block(text, run.end + over - count, passed)
        })
    })
}

/// The lines of a hunk that only inserts or only deletes, and the text they are in.
fn moved_alone<'t>(hunk: &Hunk, old: &'t Text, new: &'t Text) -> Option<(&'t Text, Range<u32>)> {
    match (hunk.before.is_empty(), hunk.after.is_empty()) {
        (false, true) => Some((old, hunk.before.clone())),
        (true, false) => Some((new, hunk.after.clone())),
        _ => None,
    }
}

/// Whether one of the lines that are `passed` is less indented than `line`.
fn leaves_block(text: &Text, line: u32, passed: Range<u32>) -> bool {
    let depth = text.indent(line);
    depth.is_some()
        && passed.into_iter().any(|other| text.indent(other).is_some_and(|width| Some(width) < depth))
}

/// At any depth, as lines are compared once more without their white space.
fn are_same(text: &Text, one: u32, other: u32) -> bool {
    text.bare(one).trim_ascii() == text.bare(other).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Algorithm;

    /// One letter a line.
    fn spelled(lines: &str) -> Text {
        Text::new(lines.chars().flat_map(|c| [c, '\n']).collect::<String>())
    }

    #[track_caller]
    fn check(old: &str, new: &str, lines: Range<u32>, expected: bool) {
        let (before, after) = (spelled(old), spelled(new));
        let map = LineMap::between(&before, &after, Algorithm::Histogram);
        assert!(map.map_range(lines.clone()).is_some(), "{old} to {new}");
        assert_eq!(is_undecided(&before, &after, &map, &lines), expected, "{old} to {new}");
    }

    #[test]
    fn a_line_that_a_hunk_can_slide_over_is_kept_by_choice() {
        // One of two equal lines came or went: nobody can say which.
        check("axb", "axxb", 1..2, true);
        check("axb", "axb", 1..2, false);
        let kept = |old: &str, new: &str| {
            let map = LineMap::between(&spelled(old), &spelled(new), Algorithm::Histogram);
            (0..old.len() as u32).filter(|line| map.kept(*line).is_some()).collect::<Vec<_>>()
        };
        for line in kept("axmxb", "axb").into_iter().filter(|line| [1, 3].contains(line)) {
            check("axmxb", "axb", line..line + 1, true);
        }
        check("axb", "axmxb", 1..2, true);
        // The lines around stay where they are.
        check("axb", "axmxb", 0..1, false);
        check("axb", "axmxb", 2..3, false);
        // What says where it is: another line between it and its twin, or a replacement.
        check("axmb", "axmxb", 1..2, false);
        check("axmb", "axmnxb", 1..2, false);
        check("axmb", "axmbx", 1..2, false);
        check("axmb", "nxmb", 1..2, false);
    }

    #[test]
    fn a_line_that_was_kept_alone_is_taken_for_no_twin_that_came_or_went() {
        // The lines around went away, and so did another `x`.
        check("axbcdexf", "nxofcd", 1..2, true);
        check("axbcdeyf", "nxofcd", 1..2, false);
        // One neighbour that was kept with it is enough.
        check("axbcdexf", "axofcd", 1..2, false);
    }

    #[test]
    fn a_block_is_undecided_only_if_all_of_it_is_slid_over() {
        check("a(x)b", "a(x)(x)b", 1..4, true);
        check("a(x)b", "a(x)(y)b", 1..4, false);
        check("a(x)b", "a(x)(y)b", 3..4, true);
    }

    #[test]
    fn a_hunk_does_not_slide_out_of_a_block() {
        let old = Text::new("fn b() {\n    two();\n    log();\n}\nend\n");
        let new = Text::new("fn b() {\n    two();\n    log();\n}\nfn c() {\n    log();\n}\nend\n");
        let map = LineMap::between(&old, &new, Algorithm::Histogram);
        assert!(!is_undecided(&old, &new, &map, &(2..3)));
        assert!(is_undecided(&old, &new, &map, &(3..4)), "of two brackets nothing says which it is");
    }
}
