//! Where lines were that are gone, by the diff alone.

use crate::edit::{Hunk, LineMap, Mapped};

use crate::anchoring::lines::region::LineRegion;

/// What is left of a region: its lines that are kept, or what is in the block that replaced it at
/// the same offset, or else the nearest kept line, rather above. `None` if nothing was kept at all.
pub(crate) fn remaining(map: &LineMap, region: &LineRegion) -> Option<LineRegion> {
    let mut inside = (region.first..=region.last).filter_map(|line| map.kept(line));
    if let Some(first) = inside.next() {
        return Some(lines(first, inside.next_back().unwrap_or(first)));
    }
    // Between two hunks there is a kept line, so that all of the region lies in one.
    if let Mapped::Changed(index) = map.map(region.first)
        && let Hunk { before, after } = &map.hunks()[index]
        && !after.is_empty()
    {
        let same = |line: u32| (after.start + line - before.start).min(after.end - 1);
        return Some(lines(same(region.first), same(region.last)));
    }
    let near = |line: u32, distance: u32| map.kept(line).map(|new| (distance, new));
    let above = (0..region.first).rev().find_map(|line| near(line, region.first - line));
    let below = (region.last + 1..map.lengths().0).find_map(|line| near(line, line - region.last));
    let (_, line) = above.into_iter().chain(below).min_by_key(|(distance, _)| *distance)?;
    Some(lines(line, line))
}

fn lines(first: u32, last: u32) -> LineRegion {
    LineRegion { first, last, columns: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Algorithm, Text};

    /// One letter a line; expects the lines that are left, counted from zero.
    fn check(old: &str, new: &str, lines: std::ops::RangeInclusive<u32>, expected: Option<(u32, u32)>) {
        let text = |lines: &str| Text::new(lines.chars().flat_map(|c| [c, '\n']).collect::<String>());
        let map = LineMap::between(&text(old), &text(new), Algorithm::Histogram);
        let region = super::lines(*lines.start(), *lines.end());
        assert_eq!(remaining(&map, &region).map(|left| (left.first, left.last)), expected, "{old} to {new}");
    }

    #[test]
    fn what_is_left_of_lost_lines_is_inside_them_or_in_their_stead_or_nearest() {
        check("abcde", "ace", 1..=3, Some((1, 1)));
        check("abcde", "abe", 0..=3, Some((0, 1)));
        check("abc", "ac", 1..=1, Some((0, 0)));
        check("abc", "bc", 0..=0, Some((0, 0)));
        check("abcdef", "af", 4..=4, Some((1, 1)));
        check("abc", "", 1..=1, None);
        check("abcd", "axyd", 2..=2, Some((2, 2)));
        check("abcde", "axe", 1..=3, Some((1, 1)));
        check("abc", "xyz", 1..=1, Some((1, 1)));
    }
}
