//! Locates an anchor by its own lines and context, where its file's old content is missing.
//!
//! There is nothing to translate from. The anchor's lines with their context stand in for the old
//! file, and the same judgement finds them; but a place counts only if it is very much alike.

use std::sync::Arc;

use rapidfuzz::distance::indel;

use crate::edit::{Algorithm, LineMap, Text, normalise};
use crate::git::{BlobId, RepoPath, TreeId};
use crate::record::{Anchor, Line};

use super::classify;
use super::files::bypass::{self, SearchScope, is_binary};
use super::files::same_file;
use super::lines::region::LineRegion;
use super::lines::scope;
use super::matching::comparison::Comparison;
use super::matching::surroundings;
use super::matching::trace::{self, Traced};
use super::position::{MatchConfidence, Orphaning, Position, Shift, Site, SiteCandidate};
use super::repository::objects::{ObjectError, Objects, PathEntry};

/// How alike a place must be to count as the same content. Code repeats itself, so that less would
/// place one statement on its neighbour.
const ALIKE: f64 = 0.8;

/// How many lines on each side tell twins apart, if nothing else does.
const CONTEXT: usize = 3;

/// More twins than this are not distinguished.
const MAX_TWINS: usize = 64;

/// How many equal places are offered to a person.
const MAX_OFFERED: usize = 5;

/// Longer texts are compared by equality alone: the cost of characters is quadratic.
const MAX_COMPARED_BYTES: usize = 16_384;

/// Locates an anchor in the file at its path, or else where that file seems to have gone.
pub(super) fn resolve(
    objects: &Objects,
    anchor: &Anchor,
    blob: BlobId,
    head: TreeId,
) -> Result<Position, ObjectError> {
    let file = match objects.entry(head, anchor.path.as_bytes())? {
        Some(PathEntry::File(found)) => Some((anchor.path.clone(), found)),
        _ => same_file::elsewhere(objects, head, &anchor.path, blob)?,
    };
    let Some((path, found)) = file else { return Ok(classify::orphan(Orphaning::FileDeleted)) };
    if found == blob {
        let site = Site::new(path, anchor.range);
        return Ok(Position::Anchored { site, renamed: true });
    }
    let new = objects.text(found)?;
    if !bypass::is_searchable(&new) || bypass::search(objects, head, &path)? == SearchScope::Exact {
        return Ok(classify::orphan(Orphaning::Bypassed));
    }
    if is_binary(new.bytes()) {
        return Ok(classify::orphan(Orphaning::NotText));
    }
    Ok(search(anchor, &path, &new))
}

fn search(anchor: &Anchor, path: &RepoPath, new: &Arc<Text>) -> Position {
    let (old, region) = stand_in(anchor, new);
    let map = LineMap::between(&old, new, Algorithm::Histogram);
    let pair = Comparison::new(old.into(), new.clone(), &map);
    let candidate = |is: &LineRegion| SiteCandidate {
        site: Site::new(path.clone(), Some(is.to_range(new))),
        confidence: MatchConfidence::from_score(alike(&pair, &region, is)),
    };
    let shifted = |is: &LineRegion| {
        let SiteCandidate { site, confidence } = candidate(is);
        Position::Shifted { site, why: Shift::Text, confidence, candidates: Vec::new() }
    };
    let likeness = |place: &LineRegion| alike(&pair, &region, place);
    let between = || surroundings::between(&pair, &region);
    let Some(Traced { region: is, .. }) = trace::trace(&pair, &region) else {
        let candidates = between().iter().map(&candidate).take(1).collect();
        return Position::Orphaned { why: Orphaning::Deleted, candidates };
    };
    if !surroundings::is_among_own(&pair, &region, &is) {
        // The same lines among strangers: changed lines in the surroundings of the anchor are rather it.
        let between = between();
        let best =
            between.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)).then(b.first.cmp(&a.first)));
        match best {
            Some(best) if likeness(best) >= ALIKE && between.len() == 1 => return shifted(best),
            Some(best) if !surroundings::tells_itself(&pair.old, &region) => {
                let candidates = vec![candidate(best), candidate(&is)];
                return Position::Orphaned { why: Orphaning::Deleted, candidates };
            }
            Some(_) | None => {}
        }
    }
    match distinguish(&pair, &region, &is) {
        Distinction::Alone if likeness(&is) >= ALIKE => shifted(&is),
        Distinction::Alone => {
            Position::Orphaned { why: Orphaning::Deleted, candidates: vec![candidate(&is)] }
        }
        Distinction::Equals(twins) => {
            let here = anchor.range.map(|range| range.span().first() - 1);
            nearest(here, &is, &twins, &candidate)
        }
        Distinction::Not => {
            Position::Orphaned { why: Orphaning::Ambiguous, candidates: vec![candidate(&is)] }
        }
    }
}

/// Of places that nothing distinguishes, the one nearest to the line at which the anchor was.
fn nearest(
    here: Option<u32>,
    is: &LineRegion,
    twins: &[u32],
    candidate: &dyn Fn(&LineRegion) -> SiteCandidate,
) -> Position {
    let at = |line: u32| LineRegion { first: line, last: line + is.count() - 1, ..*is };
    let distance = |line: &u32| here.map(|here| here.abs_diff(*line));
    let mut ranked = twins.to_vec();
    ranked.sort_by_key(|line| (distance(line), *line));
    let mut candidates: Vec<SiteCandidate> =
        ranked.iter().take(MAX_OFFERED).map(|line| candidate(&at(*line))).collect();
    let is_nearer = |lines: &[u32]| lines.len() > 1 && distance(&lines[0]) < distance(&lines[1]);
    if here.is_none() || !is_nearer(&ranked) {
        return Position::Orphaned { why: Orphaning::Ambiguous, candidates };
    }
    let site = candidates.remove(0).site;
    Position::Shifted {
        site,
        why: Shift::Twin,
        confidence: MatchConfidence::from_score(trace::CHOSEN),
        candidates,
    }
}

fn alike(pair: &Comparison, was: &LineRegion, is: &LineRegion) -> f64 {
    likeness(&lines(&pair.old, was), &lines(&pair.new, is))
}

/// The anchor's lines with their context and the heads of the blocks they were in, and where the lines are in it.
///
/// A line that is only known by its hash is the line of the new text with that hash, if there is one.
pub(super) fn stand_in(anchor: &Anchor, new: &Text) -> (Text, LineRegion) {
    let mut bytes = Vec::new();
    let heads: Vec<&Line> = anchor.scope.iter().filter(|head| !anchor.before.contains(head)).collect();
    let first = (heads.len() + anchor.before.len()) as u32;
    for line in heads.into_iter().chain(&anchor.before).chain(&anchor.lines).chain(&anchor.after) {
        match line {
            Line::Text(text) => bytes.extend_from_slice(text),
            Line::Hash(_) => {
                let same = (0..new.len()).map(|at| new.line(at)).find(|text| line.is(text));
                bytes.extend_from_slice(same.unwrap_or_default());
            }
        }
        bytes.push(b'\n');
    }
    let columns = anchor.range.map(LineRegion::from_range).and_then(|range| range.columns);
    let last = first + (anchor.lines.len() as u32).saturating_sub(1);
    (Text::new(bytes), LineRegion { first, last, columns })
}

pub(super) fn lines(text: &Text, region: &LineRegion) -> Vec<u8> {
    (region.first..=region.last).flat_map(|line| normalise(text.bare(line))).collect()
}

pub(super) fn likeness(a: &[u8], b: &[u8]) -> f64 {
    if a == b {
        1.0
    } else if a.len().max(b.len()) > MAX_COMPARED_BYTES {
        0.0
    } else {
        indel::normalized_similarity(a.iter().copied(), b.iter().copied())
    }
}

/// What distinguishes a place from others with the same first line.
enum Distinction {
    /// The line is there once, or what was around it is here and not elsewhere.
    Alone,
    /// These are equal in all that was around the anchor, in the same blocks.
    Equals(Vec<u32>),
    /// Others could be meant as well.
    Not,
}

fn distinguish(pair: &Comparison, was: &LineRegion, is: &LineRegion) -> Distinction {
    let line = normalise(pair.old.bare(was.first));
    let is_twin = |at: &u32| normalise(pair.new.bare(*at)) == line;
    let twins: Vec<u32> = (0..pair.new.len()).filter(is_twin).take(MAX_TWINS + 1).collect();
    if twins.len() <= 1 {
        return Distinction::Alone;
    }
    if twins.len() > MAX_TWINS || !has_context(pair, was, is) {
        return Distinction::Not;
    }
    let here = fit(pair, was, is.first);
    let others: Vec<((usize, usize), u32)> =
        twins.into_iter().filter(|at| *at != is.first).map(|at| (fit(pair, was, at), at)).collect();
    if others.iter().all(|(fit, _)| *fit < here) {
        return Distinction::Alone;
    }
    let blocks = scope::scope(&pair.old, was.first).len();
    let has_room = |at: u32| at + was.count() <= pair.new.len();
    if here.1 < blocks || !has_room(is.first) || others.iter().any(|(fit, _)| *fit > here) {
        return Distinction::Not;
    }
    let equals = others.into_iter().filter(|(fit, at)| *fit == here && has_room(*at)).map(|(_, at)| at);
    Distinction::Equals(equals.chain([is.first]).collect())
}

/// How many of the lines around the anchor's are around a place too, and then how many heads of blocks.
fn fit(pair: &Comparison, was: &LineRegion, at: u32) -> (usize, usize) {
    let (old, new) = (&pair.old, &pair.new);
    let same = |(a, b): &(u32, u32)| normalise(old.bare(*a)) == normalise(new.bare(*b));
    let around = |step: i64, was: u32, is: u32| {
        let lines = Comparison::filled(old, was, step, CONTEXT).into_iter();
        lines.zip(Comparison::filled(new, is, step, CONTEXT)).filter(same).count()
    };
    let context = around(-1, was.first, at) + around(1, was.last, at + was.count() - 1);
    let (olds, news) = (scope::scope(old, was.first), scope::scope(new, at));
    // The innermost blocks tell most: the outer ones are the same for all.
    let blocks = olds.into_iter().rev().zip(news.into_iter().rev()).take_while(same).count();
    (context, blocks)
}

/// Whether a line right before or after the anchor's is there too.
fn has_context(pair: &Comparison, was: &LineRegion, is: &LineRegion) -> bool {
    let above = Comparison::filled(&pair.old, was.first, -1, 1)
        .first()
        .zip(Comparison::filled(&pair.new, is.first, -1, 1).first())
        .map(|(a, b)| pair.similarity(*a, *b));
    let below = Comparison::filled(&pair.old, was.last, 1, 1)
        .first()
        .zip(Comparison::filled(&pair.new, is.last, 1, 1).first())
        .map(|(a, b)| pair.similarity(*a, *b));
    above.is_some_and(|alike| alike >= ALIKE) || below.is_some_and(|alike| alike >= ALIKE)
}
