//! What is in the surroundings of lines that were found elsewhere, by their text alone.
//!
//! Lines that are among strangers may be those of another; where the surroundings of the anchor are around
//! other lines, these are rather what became of its own. Choosing between the two is `without_blob`'s work.

use crate::edit::{Text, normalise};

use super::comparison::Comparison;
use crate::anchoring::lines::own_words::has_own_words;
use crate::anchoring::lines::region::LineRegion;

/// A region with this many letters and digits is known wherever it is: code repeats itself more than prose does.
const TELLS_ITSELF: usize = 60;

/// How many lines on each side are compared.
const CONTEXT: usize = 3;

/// More places are not looked at: what occurs so often is not a surrounding of anything.
const MAX_PLACES: usize = 16;

/// The lines between the neighbours of a region, wherever those are in the new text around other lines.
pub(crate) fn between(pair: &Comparison, was: &LineRegion) -> Vec<LineRegion> {
    let (old, new) = (&pair.old, &pair.new);
    let above = Comparison::filled(old, was.first, -1, 1).first().map(|line| old.bare(*line));
    let below = Comparison::filled(old, was.last, 1, 1).first().map(|line| old.bare(*line));
    let (Some(above), Some(below)) = (above, below) else { return Vec::new() };
    if !has_own_words(above) && !has_own_words(below) {
        return Vec::new();
    }
    let (above, below) = (normalise(above), normalise(below));
    let longest = was.count() * 2 + 3;
    let mut places = Vec::new();
    let mut opened: Option<u32> = None;
    for line in 0..new.len() {
        let text = normalise(new.bare(line));
        let start = opened.filter(|start| line - start - 1 <= longest);
        if let Some(start) = start.filter(|start| text == below && *start + 1 < line) {
            places.extend(filled(new, start + 1, line - 1));
            opened = None;
        }
        if text == above {
            opened = Some(line);
        }
        if places.len() > MAX_PLACES {
            return Vec::new();
        }
    }
    places
}

/// Whether a region says enough to be known wherever it is.
pub(crate) fn tells_itself(text: &Text, region: &LineRegion) -> bool {
    let letters = |line: u32| {
        text.bare(line).iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count()
    };
    (region.first..=region.last).map(letters).sum::<usize>() >= TELLS_ITSELF
}

/// Whether a line that says something, near the region, is near the place too.
pub(crate) fn is_among_own(pair: &Comparison, was: &LineRegion, is: &LineRegion) -> bool {
    let (old, new) = (&pair.old, &pair.new);
    let same = |was: u32, is: u32, step: i64| {
        let olds = Comparison::filled(old, was, step, CONTEXT).into_iter();
        let news: Vec<Vec<u8>> = Comparison::filled(new, is, step, CONTEXT)
            .into_iter()
            .map(|line| normalise(new.bare(line)))
            .collect();
        olds.filter(|line| has_own_words(old.bare(*line)))
            .any(|line| news.contains(&normalise(old.bare(line))))
    };
    same(was.first, is.first, -1) || same(was.last, is.last, 1)
}

/// The lines from `first` to `last` without blank ones at their ends; `None` if all are blank.
fn filled(text: &Text, first: u32, last: u32) -> Option<LineRegion> {
    let says = |line: &u32| !normalise(text.bare(*line)).is_empty();
    let from = (first..=last).find(says)?;
    let to = (first..=last).rev().find(says)?;
    Some(LineRegion { first: from, last: to, columns: None })
}
