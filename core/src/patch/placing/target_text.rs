//! The text that hunks are placed in, cut into lines that can be looked up.
//!
//! Looking lines up is prepared when the first hunk needs it: most patches fit where they say they do.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::line::{bare, is_blank, is_structural, loose};

/// No line of a text has this number; a line of a hunk that is nowhere in the text gets it.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A text and its lines.
pub(crate) struct TargetText<'a> {
    bytes: &'a [u8],
    /// Where each line begins, and one more after the last one.
    starts: Vec<usize>,
    index: OnceCell<Index>,
}

/// Equal lines have equal numbers.
struct Index {
    numbers: HashMap<Vec<u8>, u32>,
    /// The number of each line.
    lines: Vec<u32>,
    /// The lines of each number, in order.
    places: Vec<Vec<usize>>,
}

impl<'a> TargetText<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
        if starts.last() != Some(&bytes.len()) {
            starts.push(bytes.len());
        }
        Self { bytes, starts, index: OnceCell::new() }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of some lines, with everything that ends them.
    pub(crate) fn span(&self, lines: Range<usize>) -> Range<usize> {
        self.starts[lines.start.min(self.len())]..self.starts[lines.end.min(self.len())]
    }

    /// A line without its newline; empty after the end.
    pub(crate) fn line(&self, line: usize) -> &'a [u8] {
        let whole = &self.bytes[self.span(line..line + 1)];
        whole.strip_suffix(b"\n").unwrap_or(whole)
    }

    /// Whether a newline ends the line.
    pub(crate) fn has_newline(&self, line: usize) -> bool {
        self.bytes[self.span(line..line + 1)].ends_with(b"\n")
    }

    /// What ends the line, where something does.
    pub(crate) fn ending(&self, line: usize) -> Option<&'static [u8]> {
        let whole = &self.bytes[self.span(line..line + 1)];
        match whole {
            [.., b'\r', b'\n'] => Some(b"\r\n"),
            [.., b'\n'] => Some(b"\n"),
            _ => None,
        }
    }

    /// What ends the first line that is ended.
    pub(crate) fn usual_ending(&self) -> &'static [u8] {
        self.ending(0).unwrap_or(b"\n")
    }

    pub(crate) fn is_blank(&self, line: usize) -> bool {
        is_blank(self.line(line))
    }

    pub(crate) fn is_structural(&self, line: usize) -> bool {
        is_structural(bare(self.line(line)))
    }

    /// The number of a line of this text; lines that read the same have the same.
    pub(crate) fn number(&self, line: usize) -> u32 {
        self.index().lines[line]
    }

    /// The number of any line.
    pub(crate) fn number_of(&self, line: &[u8]) -> u32 {
        self.index().numbers.get(&loose(line)).copied().unwrap_or(NOWHERE)
    }

    /// Where the lines of a number are, in order.
    pub(crate) fn places(&self, number: u32) -> &[usize] {
        self.index().places.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// The first of some lines that a heading names: it reads the same, or begins with it and goes on with no letter.
    pub(crate) fn headed(&self, heading: &[u8], mut lines: Range<usize>) -> Option<usize> {
        let places = self.places(self.number_of(heading));
        if !places.is_empty() {
            return places.iter().copied().find(|place| lines.contains(place));
        }
        lines.find(|line| {
            let rest = self.line(*line).trim_ascii_start().strip_prefix(heading);
            rest.is_some_and(|rest| {
                !matches!(rest, [b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.., ..])
            })
        })
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index { numbers: HashMap::new(), lines: Vec::new(), places: Vec::new() };
            for line in 0..self.len() {
                let next = u32::try_from(index.places.len()).unwrap_or(NOWHERE - 1);
                let number = *index.numbers.entry(loose(self.line(line))).or_insert(next);
                if number == next {
                    index.places.push(Vec::new());
                }
                if let Some(places) = index.places.get_mut(number as usize) {
                    places.push(line);
                }
                index.lines.push(number);
            }
            index
        })
    }
}
