//! Carries a region across two versions of a large file, within the hunks that changed it.
//!
//! A file that is too large to be searched is compared line by line like any other, and what changed in one place of it
//! is small. Those few lines are judged as two texts of their own: nothing is looked for anywhere else, and no word of
//! the rest is read. What is too large to be judged so is nowhere.

use std::ops::Range;

use crate::edit::{Hunk, LineMap, Text};

use super::comparison::Comparison;
use super::trace::{self, TraceKind, Traced};
use crate::anchoring::lines::region::LineRegion;

/// How many kept lines on each side of the hunks are context.
const CONTEXT_LINES: u32 = 20;

/// A longer hunk is a rewritten file, and no change within it.
const MAX_LINES: u32 = 2_000;

/// A hunk with more bytes is not judged: the work grows with what it says.
const MAX_BYTES: usize = 64 << 10;

/// Carries `region` across `map`; `None` if the hunks that touch it are too large, or nothing in them can be defended.
pub(crate) fn trace(old: &Text, new: &Text, map: &LineMap, region: &LineRegion) -> Option<Traced> {
    if let Some(lines) = map.map_range(region.first..region.last + 1) {
        let region = LineRegion { first: lines.start, last: lines.end - 1, ..*region };
        return Some(Traced { region, score: 1.0, kind: TraceKind::Kept });
    }
    let window = Window::around(map, region);
    let pair = window.comparison(old, new)?;
    let (before, after) = (window.before.start, window.after.start);
    let inside = LineRegion { first: region.first - before, last: region.last - before, ..*region };
    let traced = trace::trace(&pair, &inside)?;
    let place = traced.region;
    Some(Traced {
        region: LineRegion { first: place.first + after, last: place.last + after, ..place },
        ..traced
    })
}

/// The lines of both versions that are compared, and the hunks in them.
struct Window {
    before: Range<u32>,
    after: Range<u32>,
    hunks: Vec<Hunk>,
}

impl Window {
    /// The region with the hunks that touch it, and kept lines around them up to the next hunk.
    fn around(map: &LineMap, region: &LineRegion) -> Self {
        let all = map.hunks();
        let from = all.partition_point(|hunk| hunk.before.end <= region.first);
        // What was inserted right before the region is outside, as is what was inserted right after it.
        let to = from + all[from..].partition_point(|hunk| hunk.before.start <= region.last);
        let hunks = all[from..to].to_vec();
        let above = from.checked_sub(1).map_or((0, 0), |at| (all[at].before.end, all[at].after.end));
        let below = all.get(to).map_or(map.lengths(), |next| (next.before.start, next.after.start));
        let top = hunks.first().map_or(region.first, |hunk| hunk.before.start.min(region.first));
        let end = hunks.last().map_or(region.last + 1, |hunk| hunk.before.end.max(region.last + 1));
        let before = top.saturating_sub(CONTEXT_LINES).max(above.0)..(end + CONTEXT_LINES).min(below.0);
        // Between two hunks both versions are equally long.
        let after = above.1 + (before.start - above.0)..below.1 - (below.0 - before.end);
        Self { before, after, hunks }
    }

    fn comparison(&self, old: &Text, new: &Text) -> Option<Comparison> {
        let (old, new) = (cut(old, &self.before)?, cut(new, &self.after)?);
        let (before, after) = (self.before.start, self.after.start);
        let inner = |hunk: &Hunk| Hunk {
            before: hunk.before.start - before..hunk.before.end - before,
            after: hunk.after.start - after..hunk.after.end - after,
        };
        let map = LineMap::from_hunks(self.hunks.iter().map(inner).collect(), old.len(), new.len())?;
        Some(Comparison::new(old.into(), new.into(), &map))
    }
}

/// Some lines as a text of their own; `None` if they are too many.
fn cut(text: &Text, lines: &Range<u32>) -> Option<Text> {
    let bytes = text.offset(lines.start)..text.offset(lines.end);
    let is_small = lines.end - lines.start <= MAX_LINES && bytes.len() <= MAX_BYTES;
    is_small.then(|| Text::new(&text.bytes()[bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Algorithm;

    /// Many lines that are unlike each other, with `middle` among them.
    fn text(middle: &str) -> Text {
        let rest = |from: u32| (from..from + 300).map(|at| format!("    let item_{at} = load({at});\n"));
        Text::new(rest(0).chain([middle.to_owned()]).chain(rest(1_000)).collect::<String>())
    }

    /// Expects the lines of `old` that are given, counted from its own first, at these lines of `new`.
    fn check(old: &str, lines: (u32, u32), new: &str, expected: Option<(u32, u32, TraceKind)>) {
        let (old, new) = (text(old), text(new));
        let map = LineMap::between(&old, &new, Algorithm::Histogram);
        let region = LineRegion { first: 300 + lines.0, last: 300 + lines.1, columns: None };
        let found = trace(&old, &new, &map, &region);
        let found = found.map(|found| (found.region.first - 300, found.region.last - 300, found.kind));
        assert_eq!(found, expected);
    }

    const OLD: &str =
        "fn open(path: &Path) {\n    let gateway = connect(path, timeout);\n    gateway.ready();\n}\n";

    #[test]
    fn a_line_is_followed_within_the_hunk_that_changed_it() {
        let changed = OLD.replace("timeout", "settings.timeout");
        check(OLD, (1, 1), &changed, Some((1, 1, TraceKind::InPlace)));
        check(OLD, (2, 2), &changed, Some((2, 2, TraceKind::Kept)));
        check(OLD, (0, 3), &changed, Some((0, 3, TraceKind::InPlace)));
        check(OLD, (1, 1), &format!("// More.\n// And more.\n{changed}"), Some((3, 3, TraceKind::InPlace)));
        check(OLD, (1, 1), &OLD.replace("    let", "\t\tlet"), Some((1, 1, TraceKind::Kept)));
        check(OLD, (1, 1), &OLD.replace("    let gateway = connect(path, timeout);\n", ""), None);
    }

    #[test]
    fn nothing_is_looked_for_in_other_hunks() {
        let line = "    let gateway = connect(path, timeout);\n";
        let moved = OLD.replace(line, "");
        let (old, new) = (text(OLD), text(&moved));
        let new = Text::new([new.bytes(), b"fn late() {\n", line.as_bytes(), b"}\n"].concat());
        let map = LineMap::between(&old, &new, Algorithm::Histogram);
        assert_eq!(trace(&old, &new, &map, &LineRegion { first: 301, last: 301, columns: None }), None);
    }

    #[test]
    fn a_hunk_that_is_too_large_is_not_judged() {
        let many =
            |word: &str, count: u32| (0..count).map(|at| format!("    {word}({at});\n")).collect::<String>();
        let few = [many("first", 400), many("second", 400)];
        check(&few[0], (7, 7), &few[1], Some((7, 7, TraceKind::InPlace)));
        check(&many("first", MAX_LINES + 1), (7, 7), &many("second", MAX_LINES + 1), None);
    }
}
