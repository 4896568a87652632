//! A run of lines as the engine works with it: counted from zero, with optional columns.

use crate::edit::Text;
use crate::record::{Columns, LineSpan, Range};
use std::num::NonZeroU32;

/// Lines `first..=last`, counted from zero; columns only where a part of the ends is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub first: u32,
    pub last: u32,
    pub columns: Option<Bytes>,
}

/// The first byte in the first line, and the byte behind the last one in the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    pub start: u32,
    pub end: u32,
}

impl Region {
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

    /// The same as people count; columns that say nothing are cut to the lines they stand in.
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
