//! Finds lines that left a file with those beside them, as a run of equal lines among the lines that came to another.
//!
//! A run that says enough and is there once needs no judgement: what encloses it may be anything. White space and
//! quotes do not count, so that a method may become a function. What changed on the way is `trace`'s work.

use std::ops::Range;

use crate::edit::{is_blank, normal_hash};

use super::comparison::Comparison;
use super::trace::{TraceKind, Traced};
use crate::anchoring::lines::region::LineRegion;

/// How many lines on each side of the region, which left with it, are part of the run.
const BESIDE: u32 = 4;

/// A run with fewer lines that say anything proves nothing.
const MIN_LINES: usize = 4;

/// A run with fewer letters and digits proves nothing.
const MIN_LETTERS: usize = 60;

/// A longer region is not looked for as a run: what that costs grows with it.
const MAX_LINES: u32 = 1_024;

/// How well a run fits that is equal in all its lines.
const SAME_RUN: f64 = 0.95;

/// Finds the region among the fresh lines of `pair`, with what left beside it.
pub(crate) fn find(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    if region.columns.is_some() || region.count() > MAX_LINES {
        return None;
    }
    // A diff may keep a bracket or a blank line of what left; the region itself is looked for as it was.
    let left = |line: u32| pair.gone_runs().iter().find(|run| run.contains(&line));
    let (head, tail) = (left(region.first), left(region.last));
    head.or(tail)?;
    let (first, behind) = (region.first, region.last + 1);
    let start = head.map_or(first, |run| run.start.max(first.saturating_sub(BESIDE)));
    let end = tail.map_or(behind, |run| run.end.min(behind + BESIDE));
    // What was on one side of it may have stayed.
    let mut runs = vec![start..end, start..behind, first..end, first..behind];
    runs.retain(|run| says_enough(pair, run));
    runs.dedup();
    let fresh =
        |run: &Range<u32>| -> Vec<u64> { run.clone().map(|line| normal_hash(pair.new.bare(line))).collect() };
    if runs.is_empty() {
        return None;
    }
    let there: Vec<(u32, Vec<u64>)> = pair.fresh_runs().iter().map(|run| (run.start, fresh(run))).collect();
    let (run, found) = runs.into_iter().find_map(|run| Some((run.clone(), only(pair, &run, &there)?)))?;
    let first = found + (first - run.start);
    let place = LineRegion { first, last: first + region.count() - 1, columns: None };
    Some(Traced { region: place, score: SAME_RUN, kind: TraceKind::Moved })
}

/// Whether a run of old lines says enough to be known by itself.
fn says_enough(pair: &Comparison, run: &Range<u32>) -> bool {
    let filled = run.clone().filter(|line| !is_blank(pair.old.bare(*line)));
    let letters = |line: u32| pair.old.bare(line).iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let (count, said) = filled.fold((0, 0), |(count, said), line| (count + 1, said + letters(line)));
    count >= MIN_LINES && said >= MIN_LETTERS
}

/// Where a run of old lines is among the fresh ones, which are given by their hashes, if it is there once.
fn only(pair: &Comparison, run: &Range<u32>, there: &[(u32, Vec<u64>)]) -> Option<u32> {
    let wanted: Vec<u64> = run.clone().map(|line| normal_hash(pair.old.bare(line))).collect();
    let mut found = None;
    for (start, lines) in there {
        for (at, _) in lines.windows(wanted.len()).enumerate().filter(|(_, lines)| *lines == wanted) {
            if found.replace(start + at as u32).is_some() {
                return None;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::Text;

    /// All of the old text left, and all of the new one came.
    fn found(old: &str, new: &str, first: u32, last: u32) -> Option<(u32, u32)> {
        let (old, new) = (Arc::new(Text::new(old)), Arc::new(Text::new(new)));
        let all = |text: &Text| std::iter::once(0..text.len()).collect();
        let pair = Comparison::across(old.clone(), all(&old), new.clone(), all(&new));
        let traced = find(&pair, &LineRegion { first, last, columns: None })?;
        Some((traced.region.first, traced.region.last))
    }

    const METHOD: &str = "    def load(self, name):\n        path = os.path.join(self.root, name)\n        with open(path) as stream:\n            loaded = json.load(stream)\n        return self.mapping(loaded)\n";

    #[test]
    fn a_run_that_came_whole_is_found_at_another_depth() {
        let function = METHOD.replace("\n    ", "\n").replacen("    def", "def", 1);
        let new = format!("import os\n\n{function}\nend\n");
        assert_eq!(found(METHOD, &new, 0, 4), Some((2, 6)));
        assert_eq!(found(METHOD, &new, 0, 0), Some((2, 2)), "by the lines that left with it");
    }

    #[test]
    fn a_run_that_stands_twice_or_says_little_is_not_known() {
        assert_eq!(found(METHOD, &format!("{METHOD}\nother()\n{METHOD}"), 0, 4), None);
        assert_eq!(found("}\n}\n\nend\n}\n", "x\n}\n}\n\nend\n}\n", 0, 4), None);
    }

    #[test]
    fn what_stayed_beside_it_does_not_count() {
        let old = format!("{METHOD}\n    stays = True\n");
        assert_eq!(found(&old, &format!("top\n{METHOD}"), 0, 4), Some((1, 5)));
    }
}
