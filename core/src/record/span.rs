//! Runs of lines, and columns within their ends.

use std::num::NonZeroU32;

/// A non-empty run of lines, counted from one, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineSpan {
    first: NonZeroU32,
    last: NonZeroU32,
}

impl LineSpan {
    /// Returns `None` when `last` comes before `first`.
    pub fn new(first: NonZeroU32, last: NonZeroU32) -> Option<Self> {
        (first <= last).then_some(Self { first, last })
    }

    /// Returns `None` for a line zero, or when `last` comes before `first`.
    pub fn from_numbers(first: u32, last: u32) -> Option<Self> {
        Self::new(NonZeroU32::new(first)?, NonZeroU32::new(last)?)
    }

    /// The first line.
    pub fn first(self) -> u32 {
        self.first.get()
    }

    /// The last line; never before the first.
    pub fn last(self) -> u32 {
        self.last.get()
    }

    /// How many lines there are, at least one.
    pub fn count(self) -> u32 {
        self.last.get() - self.first.get() + 1
    }
}

/// Columns of the two ends of a range: bytes, counted from one, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Columns {
    /// The first byte, in the first line.
    pub start: NonZeroU32,
    /// The last byte, in the last line.
    pub end: NonZeroU32,
}

/// Lines, and columns if only a part of the first and the last line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    lines: LineSpan,
    columns: Option<Columns>,
}

impl Range {
    /// Whole lines.
    pub fn lines(lines: LineSpan) -> Self {
        Self { lines, columns: None }
    }

    /// Returns `None` if the columns run backwards inside a single line.
    pub fn with_columns(lines: LineSpan, columns: Columns) -> Option<Self> {
        let forward = lines.count() > 1 || columns.start <= columns.end;
        forward.then_some(Self { lines, columns: Some(columns) })
    }

    /// The lines it touches.
    pub fn span(self) -> LineSpan {
        self.lines
    }

    /// The columns of its ends; `None` for whole lines.
    pub fn columns(self) -> Option<Columns> {
        self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(start: u32, end: u32) -> Columns {
        Columns { start: NonZeroU32::new(start).unwrap(), end: NonZeroU32::new(end).unwrap() }
    }

    #[test]
    fn a_span_never_runs_backwards_and_never_starts_at_zero() {
        assert!(LineSpan::from_numbers(3, 2).is_none());
        assert!(LineSpan::from_numbers(0, 2).is_none());
        assert_eq!(LineSpan::from_numbers(2, 4).unwrap().count(), 3);
    }

    #[test]
    fn columns_run_backwards_only_over_several_lines() {
        let one = LineSpan::from_numbers(1, 1).unwrap();
        let two = LineSpan::from_numbers(1, 2).unwrap();
        assert!(Range::with_columns(one, columns(9, 3)).is_none());
        assert!(Range::with_columns(two, columns(9, 3)).is_some());
    }
}
