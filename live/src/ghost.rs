//! A thread whose lines are gone: what they said, until an undo or a paste brings them back.

use std::ops::Range;

use postil_core::edit::{Mapped, Text, is_blank};

use crate::place::{LivePlace, LiveRange};
use crate::text_step::TextStep;

/// What is kept of lines that were deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// The line to show it at, the nearest above that is still there.
    pub line: u32,
    /// What the lines said, without their ends.
    pub lines: Vec<Vec<u8>>,
    /// The part of them that was commented on, as in [`LiveRange`].
    columns: Option<(u32, u32)>,
    /// The lines right above and below, by which copies are told apart.
    above: Option<Vec<u8>>,
    below: Option<Vec<u8>>,
}

impl Ghost {
    /// What is left of lines of the text before; the place is moved by the step.
    pub(crate) fn new(range: &LiveRange, before: &Text, step: &TextStep) -> Self {
        let lines = range.lines.clone();
        let bare = |line: u32| before.bare(line).to_vec();
        let above = lines.start.checked_sub(1).map(bare);
        let below = (lines.end < before.len()).then(|| bare(lines.end));
        let line = match step.map().map(lines.start) {
            Mapped::Kept(new) => new,
            Mapped::Changed(hunk) => step.map().hunks()[hunk].after.start.saturating_sub(1),
        };
        Self { line, lines: lines.map(bare).collect(), columns: range.columns, above, below }
    }

    /// Takes it back if its lines are in the text again; else where it is shown.
    pub(crate) fn moved(&self, after: &Text, step: &TextStep) -> LivePlace {
        if let Some(lines) = self.found(after, step) {
            return LivePlace::At(LiveRange { lines, columns: self.columns });
        }
        let line = match step.map().map(self.line) {
            Mapped::Kept(new) => new,
            Mapped::Changed(hunk) => step.map().hunks()[hunk].after.start.saturating_sub(1),
        };
        LivePlace::Gone(Self { line: line.min(after.len().saturating_sub(1)), ..self.clone() })
    }

    /// Where its lines are: among those that were just added, else where they are the only ones.
    fn found(&self, after: &Text, step: &TextStep) -> Option<Range<u32>> {
        let length = u32::try_from(self.lines.len()).ok()?;
        let run = |start: u32| start..start + length;
        let is_equal = |start: &u32| (0..length).all(|n| after.bare(start + n) == self.lines[n as usize]);
        let fits = |start: &u32| start + length <= after.len();
        let added = step.added().flat_map(|lines| lines.start..(lines.end + 1).saturating_sub(length));
        let mut best: Option<(u32, u32)> = None;
        for start in added.filter(fits).filter(is_equal) {
            let neighbours = self.neighbours(after, &run(start));
            if best.is_none_or(|(most, _)| neighbours > most) {
                best = Some((neighbours, start));
            }
        }
        if let Some((_, start)) = best {
            return Some(run(start));
        }
        // A lone brace or a blank line is everywhere.
        let says_something = self.lines.iter().any(|line| !is_blank(line) && line.trim_ascii().len() > 3);
        if !says_something || step.is_nothing() {
            return None;
        }
        let mut equal = (0..after.len()).filter(fits).filter(is_equal);
        let only = equal.next()?;
        equal.next().is_none().then(|| run(only))
    }

    /// How many of the lines around a run are those that were around the lost lines.
    fn neighbours(&self, text: &Text, lines: &Range<u32>) -> u32 {
        let above = lines.start.checked_sub(1).map(|line| text.bare(line));
        let below = (lines.end < text.len()).then(|| text.bare(lines.end));
        u32::from(above == self.above.as_deref()) + u32::from(below == self.below.as_deref())
    }
}
