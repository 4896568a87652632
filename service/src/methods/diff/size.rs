//! How much of a diff one answer has: which lines fit, and what is said of those that do not.

use std::collections::BTreeMap;
use std::ops::Range;

use postil_core::edit::{Coordinates, LineCoordinates, Text};
use postil_protocol::{DiffLeft, DiffLimit, DiffLine, PlaceState, ThreadStatus, ThreadView};

/// A line counts as one more for so many bytes.
const BYTES_OF_A_LINE: usize = 256;

/// A thread counts as so many lines.
const LINES_OF_A_THREAD: u64 = 8;

/// A change is not cut in two if it ends within so many lines.
const MAX_UNCUT: u32 = 400;

/// What still fits into the answer.
#[derive(Debug)]
pub(super) struct DiffRoom {
    limit: Option<DiffLimit>,
    left: u64,
}

impl DiffRoom {
    pub fn new(limit: Option<DiffLimit>) -> Self {
        Self { limit, left: limit.map_or(u64::MAX, |limit| u64::from(limit.lines)) }
    }

    /// The offset in the diff of a file before which nothing is returned.
    pub fn from(&self) -> u32 {
        self.limit.map_or(0, |limit| limit.from)
    }

    /// Of the lines that would be shown, those that fit; and how many do not, from which on.
    ///
    /// One line fits if any does, so that whoever goes on asking comes to the end.
    pub fn take(
        &mut self,
        shown: &[Range<u32>],
        diff: &Coordinates,
        (old, new): (&Text, &Text),
        on: &BTreeMap<u32, Vec<ThreadView>>,
    ) -> (Vec<Range<u32>>, Option<DiffLeft>) {
        let Some(limit) = self.limit else { return (shown.to_vec(), None) };
        let wanted: Vec<Range<u32>> = shown
            .iter()
            .map(|range| range.start.max(limit.from)..range.end)
            .filter(|range| !range.is_empty())
            .collect();
        let mut taken = Vec::with_capacity(wanted.len());
        for (at, range) in wanted.iter().enumerate() {
            let end = self.end_of(range, diff, (old, new), on, limit);
            if end > range.start {
                taken.push(range.start..end);
            }
            if end < range.end {
                let rest: u32 = wanted[at + 1..].iter().map(|range| range.end - range.start).sum();
                let lines = range.end - end + rest;
                return (taken, Some(DiffLeft { from: end, lines, ..DiffLeft::default() }));
            }
        }
        (taken, None)
    }

    /// Where the lines of a range that fit end.
    fn end_of(
        &mut self,
        range: &Range<u32>,
        diff: &Coordinates,
        (old, new): (&Text, &Text),
        on: &BTreeMap<u32, Vec<ThreadView>>,
        limit: DiffLimit,
    ) -> u32 {
        let mut over = 0;
        for offset in range.clone() {
            let Some(line) = diff.line(offset) else { return range.end };
            if self.left == 0 {
                let is_kept = matches!(line, LineCoordinates::Kept { .. });
                // What was begun is brought to the end of its change.
                if is_kept || over == MAX_UNCUT || offset == range.start {
                    return offset;
                }
                over += 1;
            }
            let text = match line {
                LineCoordinates::Deleted { before } => old.line(before),
                LineCoordinates::Kept { after, .. } | LineCoordinates::Added { after } => new.line(after),
            };
            let bytes = text.len().min(limit.line_bytes as usize);
            let threads = on.get(&offset).map_or(0, Vec::len) as u64;
            let cost = 1 + (bytes / BYTES_OF_A_LINE) as u64 + threads * LINES_OF_A_THREAD;
            self.left = self.left.saturating_sub(cost);
            // What takes much is not worth the end of its change.
            over = if cost > 1 && self.left == 0 { MAX_UNCUT } else { over };
        }
        range.end
    }

    /// Cuts the ends of long lines.
    pub fn cut(&self, lines: &mut [DiffLine]) {
        let Some(limit) = self.limit else { return };
        let most = limit.line_bytes as usize;
        for line in lines {
            let text = line.text.as_bytes();
            if text.len() <= most {
                continue;
            }
            let is_inside = |at: &usize| text[*at] & 0xc0 == 0x80;
            let end = (most.saturating_sub(3)..=most).rev().find(|at| !is_inside(at)).unwrap_or(most);
            line.cut = (text.len() - end) as u64;
            line.text = postil_protocol::ByteText::new(&text[..end]);
            line.syntax.retain(|span| (span.start as usize) < end);
        }
    }
}

/// Counts threads that are left out.
pub(super) fn count(left: &mut DiffLeft, thread: &ThreadView) {
    match thread.status {
        ThreadStatus::Open => left.open += 1,
        ThreadStatus::Resolved => left.resolved += 1,
        ThreadStatus::Withdrawn => {}
    }
    let state = thread.position.as_ref().map(|position| position.state);
    left.outdated += u32::from(thread.status == ThreadStatus::Open && state == Some(PlaceState::Outdated));
    left.drafts += thread.comments.iter().filter(|comment| comment.draft).count() as u32;
    left.suggestions += u32::from(thread.suggestion.is_some());
}
