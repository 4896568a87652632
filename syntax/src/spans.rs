//! The spans of one line, as they are found.

use crate::class::SyntaxClass;

/// A line has at most so many spans; the rest of it is plain. Only minified files have more.
pub const MAX_SPANS: usize = 2000;

/// Between two spans of one class, so many blanks belong to both: `pub async fn` is one span.
const MAX_GAP: usize = 8;

/// A piece of a line, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxSpan {
    /// Its first byte in the line.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// What it is.
    pub class: SyntaxClass,
}

/// Collects the spans of a line in their order.
pub(crate) struct Spans<'a> {
    line: &'a [u8],
    found: &'a mut Vec<SyntaxSpan>,
}

impl<'a> Spans<'a> {
    pub(crate) fn new(line: &'a [u8], found: &'a mut Vec<SyntaxSpan>) -> Self {
        Self { line, found }
    }

    /// Adds a span behind the others; what is empty is left out, and what continues the last one is joined with it.
    pub(crate) fn push(&mut self, start: usize, end: usize, class: SyntaxClass) {
        if start >= end {
            return;
        }
        if let Some(last) = self.found.last_mut().filter(|last| last.class == class) {
            let gap = self.line.get(last.end as usize..start).unwrap_or_default();
            if gap.len() <= MAX_GAP && gap.iter().all(|byte| *byte == b' ') {
                last.end = end as u32;
                return;
            }
        }
        if self.found.len() < MAX_SPANS {
            self.found.push(SyntaxSpan { start: start as u32, end: end as u32, class });
        }
    }

    /// Says that the last span is something else after all.
    pub(crate) fn reclass(&mut self, start: usize, end: usize, class: SyntaxClass) {
        if let Some(last) = self.found.last_mut().filter(|last| last.end as usize == end) {
            if last.start as usize == start {
                last.class = class;
            } else if (last.start as usize) < start {
                last.end = start as u32;
                self.push(start, end, class);
            }
        }
    }
}
