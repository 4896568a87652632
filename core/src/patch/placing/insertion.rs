//! Where lines go that a hunk only adds: between two lines of the text that belong together, or nowhere.
//!
//! A hunk that lies where lines were skipped or left out may leave room for them on either side of a line that it does
//! not know. Blank lines are such lines too, where the hunk does not tell on which side of them it adds.

use super::line::{indent, is_blank};
use super::target_text::{NOWHERE, TargetText};
use crate::patch::bounds::MAX_OFFSET;
use crate::patch::hunk::HunkLine;

/// Lines of a hunk that come, without any that goes among them.
pub(crate) struct Insertion<'a> {
    /// The lines of the hunk above them, of which none comes.
    pub above: &'a [&'a HunkLine],
    /// The lines that come.
    pub added: &'a [HunkLine],
    /// The lines of the hunk below them.
    pub below: &'a [&'a HunkLine],
    /// The last line of the text that is one of those above.
    pub before: Option<usize>,
    /// The first line of the text that is one of those below.
    pub after: Option<usize>,
}

/// The lines of the text that added lines may come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    One(usize),
    /// This many places, of which the first is given.
    Several(usize, usize),
}

impl Room {
    pub(crate) fn first(self) -> usize {
        match self {
            Self::One(at) | Self::Several(_, at) => at,
        }
    }

    pub(crate) fn places(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Several(places, _) => places,
        }
    }
}

impl Insertion<'_> {
    pub(crate) fn room(&self, target: &TargetText<'_>) -> Room {
        match (self.before.map(|before| before + 1), self.after) {
            (Some(from), Some(to)) if from >= to => Room::One(from),
            (Some(from), Some(to)) if (from..to).all(|line| target.is_blank(line)) => self.blank(from, to),
            (Some(from), Some(to)) => Room::Several(to - from + 1, from),
            (Some(from), None) => alone(self.below.iter(), from, from..from + MAX_OFFSET, target),
            (None, Some(to)) => alone(self.above.iter().rev(), to, to.saturating_sub(MAX_OFFSET)..to, target),
            (None, None) => Room::One(0),
        }
    }

    /// There are only blank lines between; the hunk has fewer of them.
    ///
    /// What it has beside the added lines and is not blank stays beside them. Where that is so on both sides, blank lines
    /// of their own part them from one of the two, or they are as deep as one of the two alone.
    fn blank(&self, from: usize, to: usize) -> Room {
        let ([.., above], [below, ..]) = (self.above, self.below) else { return Room::One(from) };
        let [Some(first), Some(last)] = [self.added.first(), self.added.last()] else {
            return Room::One(from);
        };
        let is_parted = |line: &HunkLine| is_blank(&line.text);
        let depth = |line: &HunkLine| indent(&line.text).len();
        let sides = [(*above, *below), (first, last)].map(|(one, other)| (is_parted(one), is_parted(other)));
        match sides {
            [(true, false), _] | [(false, false), (false, true)] => Room::One(to),
            [(_, true), _] | [_, (true, _)] => Room::One(from),
            _ if depth(above) == depth(below) => Room::Several(2, from),
            _ if depth(first) == depth(above) => Room::One(from),
            _ if depth(last) == depth(below) => Room::One(to),
            _ => Room::Several(2, from),
        }
    }
}

/// All context of one side was left out: if the nearest line of it is close by all the same, the added lines may be
/// meant for there.
fn alone<'a>(
    mut left_out: impl Iterator<Item = &'a &'a HunkLine>,
    at: usize,
    near: std::ops::Range<usize>,
    target: &TargetText<'_>,
) -> Room {
    let nearest = left_out.find(|line| !is_blank(&line.text)).map(|line| target.number_of(&line.text));
    match nearest.filter(|number| *number != NOWHERE) {
        Some(number) if target.places(number).iter().any(|place| near.contains(place)) => {
            Room::Several(2, at)
        }
        _ => Room::One(at),
    }
}
