//! Carries a region across one comparison.
//!
//! Choosing which texts to compare is the work of `follow` and `locate`.

use crate::edit::{is_blank, normalise};

use super::comparison::Comparison;
use super::ends::{Spot, TokenLinks};
use super::evidence::Evidence;
use super::region::{Bytes, Region};

/// A candidate below this is no place.
pub(super) const FLOOR: f64 = 0.5;

/// How many candidates of one line are judged in full.
const MAX_JUDGED: usize = 12;

/// How many fresh lines are looked at for one line; more are only looked at in place.
const MAX_FRESH: usize = 20_000;

/// Where a region went across one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Traced {
    pub region: Region,
    pub way: Way,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// What led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// The diff kept every line.
    Kept,
    /// It was changed where it stood.
    InPlace,
    /// It stands elsewhere.
    Moved,
}

/// Carries `region` across `pair`; `None` if nothing there can be defended.
pub(super) fn trace(pair: &Comparison, region: &Region) -> Option<Traced> {
    if let Some(lines) = pair.map().and_then(|map| map.map_range(region.first..region.last + 1)) {
        let region = Region { first: lines.start, last: lines.end - 1, columns: region.columns };
        return Some(Traced { region, way: Way::Kept, score: 1.0 });
    }
    if region.first == region.last { trace_line(pair, region) } else { trace_block(pair, region) }
}

/// The fresh line that an old line became.
#[derive(Clone, Copy, Debug)]
struct Found {
    line: u32,
    evidence: Evidence,
}

fn trace_line(pair: &Comparison, region: &Region) -> Option<Traced> {
    let found = find_line(pair, region.first, region)?;
    let score = found.evidence.score();
    let way = if found.evidence.in_place { Way::InPlace } else { Way::Moved };
    let gap = pair.gap(region.first);
    let end = match gap {
        Some(gap) if gap.contains(&found.line) => gap.end,
        _ => found.line + 1,
    };
    let region = stretch(pair, region, found.line, end);
    Some(Traced { region, way, score })
}

/// Finds the end of what one old line became, and its columns.
fn stretch(pair: &Comparison, region: &Region, line: u32, end: u32) -> Region {
    let behind = match pair.map().map(|map| map.map(region.first)) {
        Some(crate::edit::Mapped::Changed(hunk)) if end > line + 1 => {
            pair.map().map_or(region.last + 1, |map| map.hunks()[hunk].before.end)
        }
        _ => region.last + 1,
    };
    let links = TokenLinks::new(&pair.old, region.first..behind, &pair.new, line..end);
    ends(pair, region, links.as_ref(), links.as_ref())
        .unwrap_or_else(|| Region { first: line, last: line, columns: None })
}

fn trace_block(pair: &Comparison, region: &Region) -> Option<Traced> {
    let first = link(pair, region.first, region);
    let last = link(pair, region.last, region);
    let kept: u32 = (region.first..=region.last).filter(|line| pair.kept(*line).is_some()).count() as u32;
    let links = |line: u32, new: Option<u32>| {
        let map = pair.map()?;
        match map.map(line) {
            crate::edit::Mapped::Kept(_) => None,
            crate::edit::Mapped::Changed(hunk) => {
                let hunk = &map.hunks()[hunk];
                let from = new.filter(|new| hunk.after.contains(new));
                match from {
                    Some(new) => TokenLinks::new(&pair.old, line..hunk.before.end, &pair.new, new..hunk.after.end),
                    None => TokenLinks::new(&pair.old, hunk.before.clone(), &pair.new, hunk.after.clone()),
                }
            }
        }
    };
    let in_place = |found: Option<Found>| {
        found.filter(|found| found.evidence.in_place).map(|found| found.line)
    };
    let moved = first.is_some_and(|found| !found.evidence.in_place) && kept * 2 < region.count();
    if pair.map().is_some() && !moved && (kept > 0 || in_place(first).is_some() || in_place(last).is_some()) {
        let (a, b) = (links(region.first, in_place(first)), links(region.last, None));
        if let Some(new) = ends(pair, region, a.as_ref(), b.as_ref()) {
            let score = first.map_or(FLOOR, |found| found.evidence.score()).max(f64::from(kept) / f64::from(region.count()));
            return Some(Traced { region: new, way: Way::InPlace, score });
        }
    }
    let first = first?;
    let slack = region.count() * 2 + 3;
    let end = match last {
        Some(last) if last.line >= first.line && last.line < first.line + slack => last.line + 1,
        _ => (first.line + region.count()).min(pair.new.len()),
    };
    let links = TokenLinks::new(&pair.old, region.first..region.last + 1, &pair.new, first.line..end);
    let new = ends(pair, region, links.as_ref(), links.as_ref())
        .unwrap_or(Region { first: first.line, last: end - 1, columns: None });
    Some(Traced { region: new, way: Way::Moved, score: first.evidence.score() })
}

/// A kept line is where the diff says; another one is searched.
fn link(pair: &Comparison, line: u32, region: &Region) -> Option<Found> {
    match pair.kept(line) {
        Some(new) => {
            let evidence = Evidence { content: 1.0, above: 1.0, below: 1.0, parent: 1.0, body: None, in_place: true };
            Some(Found { line: new, evidence })
        }
        None => find_line(pair, line, region),
    }
}

/// Maps both ends; a missing table means that the end's line was kept.
fn ends(
    pair: &Comparison,
    region: &Region,
    first: Option<&TokenLinks>,
    last: Option<&TokenLinks>,
) -> Option<Region> {
    let (old, new) = (&pair.old, &pair.new);
    let bytes = region.columns.unwrap_or(Bytes { start: 0, end: old.line(region.last).len() as u32 });
    let from = Spot { line: region.first, byte: bytes.start };
    let to = Spot { line: region.last, byte: bytes.end };
    let mut start = match (pair.kept(region.first), first) {
        (Some(line), _) => Spot { line, byte: bytes.start },
        (None, links) => links?.start(from)?,
    };
    let mut end = match (pair.kept(region.last), last) {
        (Some(line), _) => Spot { line, byte: bytes.end },
        (None, links) => links?.end(to)?,
    };
    // What began or ended a line still does.
    let lead = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    if from.byte == 0 {
        start.byte = 0;
    } else if from.byte as usize <= lead(old.line(from.line)) {
        start.byte = lead(new.line(start.line)) as u32;
    }
    if to.byte as usize >= old.bare(to.line).trim_ascii_end().len() {
        end.byte = new.bare(end.line).len() as u32;
    }
    if (end.line, end.byte) <= (start.line, start.byte) && end.line <= start.line {
        end = Spot { line: start.line, byte: new.bare(start.line).len() as u32 };
    }
    let columns = region.columns.map(|_| Bytes { start: start.byte, end: end.byte.max(1) });
    Some(Region { first: start.line, last: end.line, columns })
}

/// Finds the fresh line that `line` became: the best for it that no other gone line fits better.
fn find_line(pair: &Comparison, line: u32, region: &Region) -> Option<Found> {
    if pair.old_words(line).is_blank() {
        return None;
    }
    judge(pair, line)
        .into_iter()
        .take_while(|found| found.evidence.score() >= FLOOR)
        .find(|found| is_mutual(pair, line, found, region))
}

/// Judges the candidates of a line; the best comes first.
fn judge(pair: &Comparison, line: u32) -> Vec<Found> {
    let mut judged: Vec<Found> = candidates(pair, line)
        .into_iter()
        .map(|new| Found { line: new, evidence: Evidence::of(pair, line, new) })
        .collect();
    judged.sort_by(|a, b| {
        b.evidence.score().total_cmp(&a.evidence.score()).then_with(|| a.line.cmp(&b.line))
    });
    judged
}

/// The fresh lines worth judging: those that share most words, and those in place.
fn candidates(pair: &Comparison, line: u32) -> Vec<u32> {
    let gap = pair.gap(line).unwrap_or(0..0);
    let mut ranked: Vec<(f64, u32)> = pair
        .fresh()
        .take(MAX_FRESH)
        .filter(|new| !is_blank(pair.new.bare(*new)))
        .map(|new| (pair.shared_words(line, new) + if gap.contains(&new) { 0.2 } else { 0.0 }, new))
        .filter(|(shared, _)| *shared > 0.2)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.truncate(MAX_JUDGED);
    ranked.into_iter().map(|(_, new)| new).collect()
}

/// Whether no other line that is gone fits `found` better.
fn is_mutual(pair: &Comparison, line: u32, found: &Found, region: &Region) -> bool {
    let score = found.evidence.score();
    let rivals = pair
        .gone()
        .take(MAX_FRESH)
        .filter(|other| *other != line && !(region.first != region.last && region.contains(*other)))
        .filter(|other| pair.shared_words(*other, found.line) > found.evidence.content - 0.25);
    let mut rivals: Vec<u32> = rivals.collect();
    rivals.truncate(64);
    // A line that has a better place of its own is no rival.
    rivals.into_iter().all(|other| {
        Evidence::of(pair, other, found.line).score() <= score
            || judge(pair, other).first().is_some_and(|best| best.line != found.line)
    })
}

/// How the text of a region compares with what stands at a place now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sameness {
    /// Byte for byte.
    Exact,
    /// But for white space, quotes and line ends.
    Normal,
    /// The old lines, with a few others between them.
    Grown,
    /// Something else.
    Changed,
}

/// The share of old lines from which a region that grew still counts as the same.
const GROWN_SHARE: f64 = 0.8;

/// Compares a region's text with what stands at a place now.
pub(super) fn sameness(
    old: &crate::edit::Text,
    was: &Region,
    new: &crate::edit::Text,
    is: &Region,
) -> Sameness {
    let (a, b) = (cut(old, was), cut(new, is));
    if a == b {
        return Sameness::Exact;
    }
    if normalise(&a) == normalise(&b) {
        return Sameness::Normal;
    }
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split(|byte| *byte == b'\n').map(normalise).filter(|line| !line.is_empty()).collect()
    };
    let (a, b) = (lines(&a), lines(&b));
    let mut rest = b.iter();
    let all_there = a.iter().all(|line| rest.any(|other| other == line));
    if all_there && a.len() > 1 && a.len() as f64 >= GROWN_SHARE * b.len() as f64 {
        return Sameness::Grown;
    }
    Sameness::Changed
}

fn cut(text: &crate::edit::Text, region: &Region) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in region.first..=region.last {
        let whole = text.line(line);
        let from = region.columns.filter(|_| line == region.first).map_or(0, |c| c.start as usize);
        let to = region.columns.filter(|_| line == region.last).map_or(whole.len(), |c| c.end as usize);
        bytes.extend_from_slice(whole.get(from..to.min(whole.len())).unwrap_or_default());
        bytes.push(b'\n');
    }
    bytes
}
