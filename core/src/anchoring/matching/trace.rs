//! Carries a region across one comparison.
//!
//! Choosing which texts to compare is the work of `follow` and `locate`; which line a single line
//! became is `line_match`'s.

use std::rc::Rc;

use crate::edit::{Mapped, Token, TokenKind, tokens};

use super::balance;
use super::comparison::Comparison;
use super::evidence::FLOOR;
use super::line_match::{LineMatch, find_line};
use super::line_part;
use super::token_links::{Spot, TokenLinks};
use super::trusted_match;
use super::twin;
use crate::anchoring::lines::region::{Bytes, LineRegion};
use crate::anchoring::lines::statement::{declared_name, is_annotation};

/// The share of a region's weight that must be kept for its ends to be mapped where they were.
const KEPT_SHARE: f64 = 0.2;

/// The share of the tokens of a part of a line that must be linked for it to be found by them.
const LINKED_SHARE: f64 = 0.5;

/// What a line's words must weigh for a second opinion on it to count.
const DISTINCT_WEIGHT: f64 = 1.0;

/// A line that was split begins at most this many lines above the one that is most like it.
const SPLIT_WITHIN: u32 = 4;

/// The share of the tokens above that must come from the old line for it to begin there.
const CLAIMED_SHARE: f64 = 0.5;

/// How well lines fit that a diff kept by choice: nothing is better, and a twin is as good.
pub(crate) const CHOSEN: f64 = 0.8;

/// Where a region went across one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traced {
    pub region: LineRegion,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    pub kind: TraceKind,
}

/// What led to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceKind {
    /// The diff kept every line.
    Kept,
    /// The diff kept every line, and could as well have kept others that are the same.
    Chosen,
    /// It was changed where it was.
    InPlace,
    /// It is elsewhere.
    Moved,
}

/// Carries `region` across `pair`; `None` if nothing there can be defended.
pub(crate) fn trace(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    if pair.map().is_some_and(|map| map.map_range(region.first..region.last + 1).is_some()) {
        let place = ends(pair, region, None, None)?;
        let place = line_part::same_words(&pair.old, region, &pair.new, &place).unwrap_or(place);
        let lines = region.first..region.last + 1;
        let chosen = pair.map().is_some_and(|map| twin::is_undecided(&pair.old, &pair.new, map, &lines));
        return Some(if chosen {
            Traced { region: place, score: CHOSEN, kind: TraceKind::Chosen }
        } else {
            Traced { region: place, score: 1.0, kind: TraceKind::Kept }
        });
    }
    let traced =
        if region.first == region.last { trace_line(pair, region) } else { trace_block(pair, region) };
    let traced = traced.filter(|traced| is_part_left(pair, region, traced));
    traced.map(|traced| at_its_words(pair, region, traced)).or_else(|| second_opinion(pair, region))
}

/// Narrows or widens the place of a part of a line to its own words, where those are still there.
///
/// A part that lost its words is at those in their place, or else on the line.
fn at_its_words(pair: &Comparison, region: &LineRegion, traced: Traced) -> Traced {
    if region.columns.is_none() || region.first != region.last || is_whole_line(pair, region) {
        return traced;
    }
    if let Some(words) = line_part::same_words(&pair.old, region, &pair.new, &traced.region) {
        return Traced { region: words, ..traced };
    }
    let (from, to) = spots(pair, region);
    let keeps = |links: &TokenLinks| links.keeps_a_word_of(&pair.old, from, to);
    let in_hunk = hunk_of(pair, region.first).and_then(|hunk| pair.links(hunk));
    if !line_part::has_words(&pair.old, region) || in_hunk.is_some_and(|links| keeps(&links)) {
        return traced;
    }
    let line = find_line(pair, region.first, region).map_or(traced.region.first, |found| found.line);
    let links = TokenLinks::new(&pair.old, region.first..region.first + 1, &pair.new, line..line + 1);
    let Some(links) = links.filter(|links| !keeps(links)) else { return traced };
    let place = traced.region;
    let is_within = |start: u32, end: u32| {
        (place.first, place.last) == (line, line)
            && place.columns.is_some_and(|part| start <= part.start && part.end <= end)
    };
    let columns = match links.between(&pair.new, from, to) {
        Some((start, end)) if is_within(start, end) => return traced,
        gap => gap.map(|(start, end)| Bytes { start, end }),
    };
    Traced { region: LineRegion { first: line, last: line, columns }, ..traced }
}

/// Whether something is left of a part of a line: a word of the lines it was in.
///
/// Marks alone are no trace. `x:Class="B"` in the place of `x:Bindings="True"` is another attribute, although half of its
/// tokens are the same. Whole lines are judged by more than their words.
fn is_part_left(pair: &Comparison, region: &LineRegion, traced: &Traced) -> bool {
    let (was, is) = (region.first..region.last + 1, traced.region.first..traced.region.last + 1);
    region.columns.is_none()
        || TokenLinks::new(&pair.old, was, &pair.new, is).is_none_or(|links| {
            links.keeps_a_word(&pair.old)
                && (!declares_otherwise(pair, region, traced)
                    || links.keeps_a_word_as_it_was(&pair.old, &pair.new))
        })
}

/// Whether a part of a line holds the name that the line declares, and the new line declares another one.
///
/// `Method getParameters;` in the place of `Class sslParameters;` is another declaration, however its name is spelled.
fn declares_otherwise(pair: &Comparison, region: &LineRegion, traced: &Traced) -> bool {
    let Some(columns) = region.columns.filter(|_| region.first == region.last) else { return false };
    let line = pair.old.bare(region.first);
    let Some(name) = declared_name(line) else { return false };
    let is_meant = tokens(line)
        .filter(|token| columns.start <= token.start && token.end <= columns.end)
        .any(|token| line[token.range()] == *name);
    is_meant && declared_name(pair.new.bare(traced.region.first)).is_some_and(|other| other != name)
}

/// Asks another diff algorithm about lines that cannot be found otherwise.
///
/// The first one gave their place to a twin. That the two disagree makes it a guess; that the
/// enclosing block agrees makes it a good one. A line that occurs once in both texts has no twin.
fn second_opinion(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    let lines = pair.second_map()?.map_range(region.first..region.last + 1)?;
    let evidence = pair.evidence(region.first, lines.start);
    let distinct = pair.weight(region.first) >= DISTINCT_WEIGHT;
    let place = LineRegion { first: lines.start, last: lines.end - 1, columns: region.columns };
    let is_known =
        (region.first..=region.last).any(|line| trusted_match::is_known(&pair.old, &pair.new, line));
    let score = evidence.score();
    (is_known || (distinct && evidence.is_defensible())).then_some(Traced {
        region: place,
        score: if is_known { score.max(FLOOR) } else { score },
        kind: TraceKind::Moved,
    })
}

fn trace_line(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    let found = find_line(pair, region.first, region);
    // All of a line is judged as the line is: its tokens alone do not find it.
    if region.columns.is_some()
        && (found.is_some() || !is_whole_line(pair, region))
        && let Some(traced) = trace_tokens(pair, region, found.as_ref())
    {
        return Some(traced);
    }
    let Some(found) = found else { return joined(pair, region) };
    let kind = if found.evidence.in_place { TraceKind::InPlace } else { TraceKind::Moved };
    Some(Traced { region: extent(pair, region, found.line), score: found.evidence.score(), kind })
}

/// Whether the columns of a region take in all that its line says.
fn is_whole_line(pair: &Comparison, region: &LineRegion) -> bool {
    let line = pair.old.bare(region.first);
    region.columns.is_some_and(|columns| {
        let (lead, tail) = (line.len() - line.trim_ascii_start().len(), line.trim_ascii_end().len());
        columns.start as usize <= lead && columns.end as usize >= tail
    })
}

/// Finds the line that a whole line was joined into: the rest of a statement that now is on one line.
fn joined(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    let links = hunk_of(pair, region.first).and_then(|hunk| pair.links(hunk))?;
    let (line, share) = links.joined_into(&pair.old, region.first)?;
    let new = LineRegion { first: line, last: line, columns: None };
    let new = if region.columns.is_none() { new } else { ends(pair, region, Some(&links), Some(&links))? };
    Some(Traced { region: new, score: 0.5 + 0.4 * share, kind: TraceKind::InPlace })
}

/// Finds a part of a line by its own tokens, in the hunk that changed the line.
///
/// The tokens are linked with those of the whole hunk, and once more from the line on that is most
/// like the old one: the table that knows more of the two ends is believed, unless it knows no more than marks and
/// keywords.
fn trace_tokens(pair: &Comparison, region: &LineRegion, found: Option<&LineMatch>) -> Option<Traced> {
    let hunk = hunk_of(pair, region.first)?;
    if hunk_of(pair, region.last) != Some(hunk) {
        return None;
    }
    let (from, to) = spots(pair, region);
    let whole = pair.links(hunk)?;
    let in_place = found.filter(|found| found.evidence.in_place).map(|found| found.line);
    let says_more = |near: &TokenLinks| {
        near.linked_ends(from, to) >= whole.linked_ends(from, to)
            && (near.links_a_word(&pair.old, from, to) || !whole.links_a_word(&pair.old, from, to))
    };
    let links = match in_place.and_then(|line| links_from(pair, region.first, Some(line))) {
        Some(near) if says_more(&near) => near,
        _ => whole,
    };
    let share = links.share(from, to);
    if share < LINKED_SHARE && links.linked_ends(from, to) < 2 {
        return None;
    }
    let new = ends(pair, region, Some(&links), Some(&links))?;
    let score = 0.5 + 0.4 * share;
    match found {
        Some(found) if found.evidence.score() > score && !(new.first..=new.last).contains(&found.line) => {
            None
        }
        _ => {
            let score = score.max(found.map_or(0.0, |found| found.evidence.score()));
            Some(Traced { region: new, score, kind: TraceKind::InPlace })
        }
    }
}

/// Finds where what one old line became begins and ends, around the line that is most like it.
fn extent(pair: &Comparison, region: &LineRegion, line: u32) -> LineRegion {
    let alone = LineRegion { first: line, last: line, columns: None };
    let hunk = hunk_of(pair, region.first).and_then(|hunk| Some(&pair.map()?.hunks()[hunk]));
    let Some(hunk) = hunk.filter(|hunk| hunk.after.contains(&line)) else {
        let links = TokenLinks::new(&pair.old, region.first..region.last + 1, &pair.new, line..line + 1);
        return ends(pair, region, links.as_ref(), links.as_ref()).unwrap_or(alone);
    };
    let from = content_start(pair, region, spots(pair, region).0);
    let links = hunk_of(pair, region.first).and_then(|hunk| pair.links(hunk));
    let first = links
        .as_ref()
        .and_then(|links| links.linked_start(from))
        .map(|spot| spot.line)
        .filter(|start| (line.saturating_sub(SPLIT_WITHIN)..line).contains(start))
        .filter(|start| {
            links.as_ref().is_some_and(|links| links.claimed(*start..line, region.first) >= CLAIMED_SHARE)
        })
        .unwrap_or(line);
    let links = TokenLinks::new(&pair.old, region.first..hunk.before.end, &pair.new, first..hunk.after.end);
    ends(pair, region, links.as_ref(), links.as_ref()).unwrap_or(alone)
}

fn trace_block(pair: &Comparison, region: &LineRegion) -> Option<Traced> {
    let first = link(pair, region.first, region);
    if let Some(traced) = trace_declaration(pair, region, first.as_ref()) {
        return Some(traced);
    }
    let last = link(pair, region.last, region);
    let weigh = |lines: &mut dyn Iterator<Item = u32>| lines.map(|line| pair.weight(line)).sum::<f64>();
    let all = weigh(&mut (region.first..=region.last)).max(0.01);
    let kept = weigh(&mut (region.first..=region.last).filter(|line| pair.kept(*line).is_some())) / all;
    let in_place = first.filter(|found| found.evidence.in_place).map(|found| found.line);
    let moved = first.is_some() && in_place.is_none() && kept < 0.5;
    if pair.map().is_some() && !moved && (kept >= KEPT_SHARE || in_place.is_some()) {
        let (a, b) = (links_from(pair, region.first, in_place), links_from(pair, region.last, None));
        if let Some(new) = ends(pair, region, a.as_deref(), b.as_deref()) {
            let score = first.map_or(FLOOR, |found| found.evidence.score()).max(kept);
            return Some(Traced { region: new, score, kind: TraceKind::InPlace });
        }
    }
    if first.is_none()
        && let Some(traced) = trace_tokens(pair, region, None)
    {
        return Some(traced);
    }
    let first = first?;
    let slack = region.count() * 2 + 3;
    let end = match last {
        Some(last) if last.line >= first.line && last.line < first.line + slack => last.line + 1,
        _ => (first.line + region.count()).min(pair.new.len()),
    };
    let links = TokenLinks::new(&pair.old, region.first..region.last + 1, &pair.new, first.line..end);
    let new = ends(pair, region, links.as_ref(), links.as_ref()).unwrap_or(LineRegion {
        first: first.line,
        last: end - 1,
        columns: None,
    });
    Some(Traced { region: new, score: first.evidence.score(), kind: TraceKind::Moved })
}

/// Finds what begins with annotations that are gone by the declaration that they were put on.
///
/// They are a part of it: where it is alone now it is all that is left, and those that it has instead belong to it.
/// Words of the first one that are `found` in a comment are no trace of it.
fn trace_declaration(pair: &Comparison, region: &LineRegion, found: Option<&LineMatch>) -> Option<Traced> {
    let (old, new) = (&pair.old, &pair.new);
    let head = (region.first..=region.last).find(|line| !is_annotation(old.bare(*line)))?;
    let mark = |line: &[u8]| line.trim_ascii_start().first().copied();
    let stays = found.is_some_and(|found| mark(new.bare(found.line)) == mark(old.bare(region.first)));
    let is_kept = (region.first..head).any(|line| pair.kept(line).is_some());
    if head == region.first || stays || is_kept || declared_name(old.bare(head)).is_none() {
        return None;
    }
    let lead = |line: &[u8]| (line.len() - line.trim_ascii_start().len()) as u32;
    let columns = region.columns.map(|bytes| Bytes { start: lead(old.bare(head)), ..bytes });
    let rest = LineRegion { first: head, last: region.last, columns };
    let traced = if head == region.last { trace_line(pair, &rest) } else { trace_block(pair, &rest) }?;
    let mut place = traced.region;
    let above = (0..place.first).rev().take_while(|line| is_annotation(new.bare(*line)));
    if let Some(first) = above.last() {
        let columns = place.columns.map(|bytes| Bytes { start: lead(new.bare(first)), ..bytes });
        place = LineRegion { first, columns, ..place };
    }
    let kind = if traced.kind == TraceKind::Moved { TraceKind::Moved } else { TraceKind::InPlace };
    Some(Traced { region: place, kind, ..traced })
}

/// The links of the hunk that changed `line`; from `new` on, if that line is known to be it.
fn links_from(pair: &Comparison, line: u32, new: Option<u32>) -> Option<Rc<TokenLinks>> {
    let index = hunk_of(pair, line)?;
    let hunk = &pair.map()?.hunks()[index];
    match new.filter(|new| hunk.after.contains(new)) {
        Some(new) => {
            TokenLinks::new(&pair.old, line..hunk.before.end, &pair.new, new..hunk.after.end).map(Rc::new)
        }
        None => pair.links(index),
    }
}

fn hunk_of(pair: &Comparison, line: u32) -> Option<usize> {
    match pair.map()?.map(line) {
        Mapped::Kept(_) => None,
        Mapped::Changed(hunk) => Some(hunk),
    }
}

/// A kept line is where the diff says; another one is searched.
fn link(pair: &Comparison, line: u32, region: &LineRegion) -> Option<LineMatch> {
    match pair.kept(line) {
        Some(new) => Some(LineMatch::kept(new)),
        None => find_line(pair, line, region),
    }
}

fn spots(pair: &Comparison, region: &LineRegion) -> (Spot, Spot) {
    let whole = Bytes { start: 0, end: pair.old.line(region.last).len() as u32 };
    let bytes = region.columns.unwrap_or(whole);
    (Spot { line: region.first, byte: bytes.start }, Spot { line: region.last, byte: bytes.end })
}

/// Where a region of whole lines begins to say something.
///
/// A bracket that closes what was above may stay behind on a line of its own: the statement that
/// followed it is what was meant.
fn content_start(pair: &Comparison, region: &LineRegion, from: Spot) -> Spot {
    let line = pair.old.bare(from.line);
    let closes = |token: &Token| matches!(line[token.start as usize], b'}' | b')' | b']');
    match tokens(line).find(|token| !closes(token)) {
        Some(token) if region.columns.is_none() && token.kind == TokenKind::Word => {
            Spot { line: from.line, byte: token.start }
        }
        _ => from,
    }
}

/// Maps both ends; the tables are those of the hunks that changed the ends' lines.
fn ends(
    pair: &Comparison,
    region: &LineRegion,
    first: Option<&TokenLinks>,
    last: Option<&TokenLinks>,
) -> Option<LineRegion> {
    let (old, new) = (&pair.old, &pair.new);
    let (from, to) = spots(pair, region);
    let within = |old_line: u32, line: u32| {
        (old.bare(old_line) != new.bare(line))
            .then(|| TokenLinks::new(old, old_line..old_line + 1, new, line..line + 1))
            .flatten()
    };
    // An end that is gone without a trace gives way to the next line of the region that is kept.
    let next = || (region.first..=region.last).find_map(|line| Some((line, pair.kept(line)?)));
    let previous = || (region.first..=region.last).rev().find_map(|line| Some((line, pair.kept(line)?)));
    let mut start = match pair.kept(region.first) {
        Some(line) => match within(region.first, line) {
            Some(links) => links.start(content_start(pair, region, from))?,
            None => Spot { line, byte: from.byte },
        },
        None => match first.and_then(|links| links.start(content_start(pair, region, from))) {
            Some(spot) => spot,
            None => Spot { line: next()?.1, byte: 0 },
        },
    };
    let mut end = match pair.kept(region.last) {
        Some(line) => match within(region.last, line) {
            Some(links) => links.end(to)?,
            None => Spot { line, byte: to.byte },
        },
        None => match last.and_then(|links| links.end(to)) {
            Some(spot) => spot,
            None => {
                let line = previous()?.1;
                Spot { line, byte: new.bare(line).len() as u32 }
            }
        },
    };
    // What began or ended a line still does, unless lines were joined.
    let hunk_links = |line: u32| hunk_of(pair, line).and_then(|hunk| pair.links(hunk));
    let lead = |line: &[u8]| (line.len() - line.trim_ascii_start().len()) as u32;
    let tail = |line: &[u8]| line.trim_ascii_end().len() as u32;
    // A word that only happened to come first stays that word.
    let is_word =
        from.line == to.line && from.byte == lead(old.line(from.line)) && to.byte < tail(old.bare(to.line));
    // Nor does it begin with a bracket that closes what was put above it: `} else if (a) {` was `if (a) {`.
    let closes =
        |line: &[u8]| line.trim_ascii_start().first().is_some_and(|mark| matches!(mark, b'}' | b')' | b']'));
    let is_behind = from.byte > 0 && !closes(old.line(from.line)) && closes(new.line(start.line));
    if from.byte <= lead(old.line(from.line))
        && !is_word
        && !is_behind
        && !hunk_links(region.first).is_some_and(|links| links.is_joined_before(region.first, start))
    {
        start.byte = if from.byte == 0 { 0 } else { lead(new.line(start.line)) };
    }
    if to.byte >= tail(old.bare(to.line))
        && !hunk_links(region.last).is_some_and(|links| links.is_joined_behind(region.last, end))
    {
        let whole = to.byte > tail(old.bare(to.line)) || to.byte as usize >= old.bare(to.line).len();
        end.byte = if whole { new.bare(end.line).len() as u32 } else { tail(new.bare(end.line)) };
    }
    if (end.line, end.byte) <= (start.line, start.byte) {
        end = Spot { line: start.line, byte: new.bare(start.line).len() as u32 };
    }
    let end = balance::end(old, (from, to), new, (start, end));
    let columns = region.columns.map(|_| Bytes { start: start.byte, end: end.byte.max(1) });
    Some(LineRegion { first: start.line, last: end.line, columns })
}
