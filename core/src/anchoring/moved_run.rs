//! Finds lines that left a file with those beside them, as a run of equal lines among the lines that came to another.
//!
//! A run that says enough and stands there once needs no judgement: what encloses it may be anything. White space and
//! quotes do not count, so that a method may become a function. What changed on the way is `trace`'s work.

use std::ops::Range;

use crate::edit::{is_blank, normal_hash};

use super::comparison::Comparison;
use super::region::Region;
use super::trace::{Traced, Way};

/// So many lines on each side of the region that left with it are a part of the run.
const BESIDE: u32 = 4;

/// A run with fewer lines that say anything proves nothing.
const MIN_LINES: usize = 4;

/// A run with fewer letters and digits proves nothing.
const MIN_LETTERS: usize = 60;

/// How well a run fits that is equal in all its lines.
const SAME_RUN: f64 = 0.95;

/// Finds the region among the fresh lines of `pair`, with what left beside it.
pub(super) fn find(pair: &Comparison, region: &Region) -> Option<Traced> {
    if region.columns.is_some() {
        return None;
    }
    // A diff may keep a bracket or a blank line of what left; the region itself is looked for as it was.
    let left = |line: u32| pair.gone_runs().iter().find(|run| run.contains(&line));
    let (head, tail) = (left(region.first), left(region.last));
    head.or(tail)?;
    let (first, behind) = (region.first, region.last + 1);
    let start = head.map_or(first, |run| run.start.max(first.saturating_sub(BESIDE)));
    let end = tail.map_or(behind, |run| run.end.min(behind + BESIDE));
    // What stood on one side of it may have stayed.
    let runs = [start..end, start..behind, first..end, first..behind];
    let (run, found) = runs.into_iter().find_map(|run| Some((run.clone(), only(pair, &run)?)))?;
    let first = found + (first - run.start);
    let place = Region { first, last: first + region.count() - 1, columns: None };
    Some(Traced { region: place, score: SAME_RUN, way: Way::Moved })
}

/// Where a run of old lines stands among the fresh ones, if it says enough and stands there once.
fn only(pair: &Comparison, run: &Range<u32>) -> Option<u32> {
    let filled = run.clone().filter(|line| !is_blank(pair.old.bare(*line)));
    let letters = |line: u32| pair.old.bare(line).iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let (count, said) = filled.fold((0, 0), |(count, said), line| (count + 1, said + letters(line)));
    if count < MIN_LINES || said < MIN_LETTERS {
        return None;
    }
    let wanted: Vec<u64> = run.clone().map(|line| normal_hash(pair.old.bare(line))).collect();
    let mut found = None;
    for fresh in pair.fresh_runs() {
        let there: Vec<u64> = fresh.clone().map(|line| normal_hash(pair.new.bare(line))).collect();
        for (at, _) in there.windows(wanted.len()).enumerate().filter(|(_, lines)| *lines == wanted) {
            if found.replace(fresh.start + at as u32).is_some() {
                return None;
            }
        }
    }
    found
}
