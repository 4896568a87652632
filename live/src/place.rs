//! Where a thread is for the moment, and how a change of the text moves it.

use std::ops::Range;

use postil_core::edit::{Mapped, Text};

use crate::ghost::Ghost;
use crate::text_step::TextStep;

/// Below this likeness, a new line is not what became of an old one.
const LEAST_LIKENESS: f64 = 0.3;

/// Lines of a document, counted from zero, and perhaps a part of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRange {
    /// The lines.
    pub lines: Range<u32>,
    /// In bytes: where the part begins in the first line, and where it ends in the last one. `None` for whole lines.
    pub columns: Option<(u32, u32)>,
}

impl LiveRange {
    /// Whole lines.
    pub fn whole(lines: Range<u32>) -> Self {
        Self { lines, columns: None }
    }
}

/// Where a thread is for the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LivePlace {
    /// At these lines.
    At(LiveRange),
    /// Its lines changed since the last answer; these are what became of them.
    BeingEdited(LiveRange),
    /// Its lines are gone.
    Gone(Ghost),
}

impl LivePlace {
    /// The line to show it at.
    pub fn line(&self) -> u32 {
        match self {
            Self::At(range) | Self::BeingEdited(range) => range.lines.start,
            Self::Gone(ghost) => ghost.line,
        }
    }

    /// Where it is after a change of the text.
    #[must_use]
    pub fn moved(&self, before: &Text, after: &Text, step: &TextStep) -> Self {
        match self {
            Self::At(range) => moved_range(range, before, after, step),
            Self::BeingEdited(range) => match moved_range(range, before, after, step) {
                Self::At(range) => Self::BeingEdited(range),
                other => other,
            },
            Self::Gone(ghost) => ghost.moved(after, step),
        }
    }
}

fn moved_range(range: &LiveRange, before: &Text, after: &Text, step: &TextStep) -> LivePlace {
    let map = step.map();
    if let Some(lines) = map.map_range(range.lines.clone()) {
        return LivePlace::At(LiveRange { lines, columns: range.columns });
    }
    // What each end became; lines in the middle follow.
    let became = |line: u32| match map.map(line) {
        Mapped::Kept(new) => Some(new),
        Mapped::Changed(hunk) => alike(before.bare(line), after, &map.hunks()[hunk].after),
    };
    let found: Vec<(u32, u32)> =
        range.lines.clone().filter_map(|line| became(line).map(|new| (line, new))).collect();
    let (Some(first), Some(last)) =
        (found.iter().map(|(_, new)| *new).min(), found.iter().map(|(_, new)| *new).max())
    else {
        return Ghost::new(range, before, step).moved(after, step);
    };
    let columns = range.columns.and_then(|(start, end)| {
        let of = |old: u32, column: u32, edge: Edge| {
            let (_, new) = found.iter().find(|(line, _)| *line == old)?;
            Some(moved_column(before.bare(old), after.bare(*new), column, edge))
        };
        let start = of(range.lines.start, start, Edge::Start)?;
        let end = of(range.lines.end - 1, end, Edge::End)?;
        (first < last || start < end).then_some((start, end))
    });
    LivePlace::BeingEdited(LiveRange { lines: first..last + 1, columns })
}

/// The line among new ones that an old one most likely became.
fn alike(old: &[u8], after: &Text, lines: &Range<u32>) -> Option<u32> {
    let likeness = |line: u32| likeness(old, after.bare(line));
    let best = lines.clone().max_by(|a, b| likeness(*a).total_cmp(&likeness(*b)).then(b.cmp(a)))?;
    (likeness(best) >= LEAST_LIKENESS).then_some(best)
}

/// How much of the longer of two lines is in the equal beginning and the equal end of both, without space around them.
fn likeness(a: &[u8], b: &[u8]) -> f64 {
    let (a, b) = (a.trim_ascii(), b.trim_ascii());
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    let (head, tail) = equal_bytes(a, b);
    (head + tail) as f64 / longer as f64
}

/// How many bytes two lines share at the beginning, and of the rest at the end.
fn equal_bytes(a: &[u8], b: &[u8]) -> (usize, usize) {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// Which end of a range a column is.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// Where a column of a line is after the line changed; never inside a character.
fn moved_column(old: &[u8], new: &[u8], column: u32, edge: Edge) -> u32 {
    let (head, tail) = equal_bytes(old, new);
    let column = (column as usize).min(old.len());
    let at = match edge {
        // What is typed right before or right behind the words stays outside of them.
        Edge::Start if column < head => column,
        Edge::End if column <= head => column,
        _ if column >= old.len() - tail => column + new.len() - old.len(),
        Edge::Start => head,
        Edge::End => new.len() - tail,
    };
    (0..=at).rev().find(|at| is_boundary(new, *at)).unwrap_or(0) as u32
}

fn is_boundary(line: &[u8], at: usize) -> bool {
    line.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}
