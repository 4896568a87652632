//! A run of lines as the engine works with it: counted from zero, with optional columns.

use crate::edit::Text;
use crate::record::{Columns, LineSpan, Range};
use std::num::NonZeroU32;

/// Lines `first..=last`, counted from zero; columns only where a part of the ends is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineRegion {
    pub first: u32,
    pub last: u32,
    pub columns: Option<Bytes>,
}

/// The first byte in the first line, and the byte after the last one in the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub start: u32,
    pub end: u32,
}

impl LineRegion {
    /// The first line; stands for a whole file where only the file matters.
    pub const START: Self = Self { first: 0, last: 0, columns: None };

    pub fn from_range(range: Range) -> Self {
        let span = range.span();
        let columns = range.columns().map(|c| Bytes { start: c.start.get() - 1, end: c.end.get() });
        Self { first: span.first() - 1, last: span.last() - 1, columns }
    }

    /// Whether `text` has such lines.
    pub fn fits(&self, text: &Text) -> bool {
        self.first <= self.last
            && self.last < text.len()
            && self.columns.is_none_or(|c| {
                (c.start as usize) < text.line(self.first).len().max(1)
                    && c.end as usize <= text.line(self.last).len().max(1)
            })
    }

    /// The lines and columns of a run of bytes.
    pub fn from_bytes(bytes: &std::ops::Range<usize>, text: &Text) -> Self {
        let (first, last) = (text.line_at(bytes.start), text.line_at(bytes.end.saturating_sub(1)));
        let column = |offset: usize, line: u32| offset.saturating_sub(text.offset(line)) as u32;
        let columns = Bytes { start: column(bytes.start, first), end: column(bytes.end, last) };
        Self { first, last, columns: Some(columns) }
    }

    /// The bytes from the first to the last, without the last newline; cut to the text.
    pub fn to_bytes(self, text: &Text) -> std::ops::Range<usize> {
        let (from, to) = match self.columns {
            Some(columns) => (columns.start as usize, columns.end as usize),
            None => (0, text.line(self.last).len()),
        };
        let start = (text.offset(self.first) + from).min(text.bytes().len());
        start..(text.offset(self.last) + to).clamp(start, text.bytes().len())
    }

    /// The same as people count; columns that say nothing are cut to the lines they are in.
    pub fn to_range(self, text: &Text) -> Range {
        let span = LineSpan::from_numbers(self.first + 1, self.last.max(self.first) + 1)
            .expect("one is added to both, and the last is not before the first");
        let Some(bytes) = self.columns else { return Range::lines(span) };
        let start = bytes.start.min((text.line(self.first).len() as u32).saturating_sub(1)) + 1;
        let end = bytes.end.min(text.line(self.last).len() as u32).max(1);
        let end = if self.first >= self.last { end.max(start) } else { end };
        let columns = Columns {
            start: NonZeroU32::new(start).expect("one was added"),
            end: NonZeroU32::new(end).expect("it is at least one"),
        };
        Range::with_columns(span, columns).unwrap_or_else(|| Range::lines(span))
    }

    pub fn count(&self) -> u32 {
        self.last - self.first + 1
    }

    pub fn contains(&self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}
