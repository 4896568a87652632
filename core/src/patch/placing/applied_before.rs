//! Whether a hunk was applied before, if that is beyond doubt.
//!
//! Saying so by mistake loses a change unnoticed; saying by mistake that a hunk has no place is noticed.

use std::ops::Range;

use super::align::{OldHunkLines, Tolerance};
use super::candidates::{HunkCandidate, candidates};
use super::line::{bare, indent, is_structural, is_telling};
use super::target_text::TargetText;
use crate::patch::bounds::MAX_OFFSET;
use crate::patch::hunk::{HunkLine, PatchHunk, Role, Stated};

/// What is known of a hunk's having been applied before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppliedBefore {
    /// What it leaves is where it can be meant, and nowhere else.
    Surely,
    /// What it leaves is somewhere: it was applied, or is meant elsewhere.
    Perhaps,
    /// What it leaves is nowhere.
    No,
}

impl AppliedBefore {
    /// Looks for all lines that the hunk leaves.
    ///
    /// Where its header says they are, they may be elsewhere too. Without a header, a heading says where; without
    /// either, the lines themselves must.
    pub(crate) fn of(
        hunk: &PatchHunk,
        target: &TargetText<'_>,
        tolerance: Tolerance,
        steps: &mut usize,
    ) -> Self {
        let mut undo = hunk.clone();
        undo.reverse();
        if undo.old().next().is_none() {
            return Self::No;
        }
        let old = OldHunkLines::of(&undo, target);
        match candidates(&undo, &old, target, tolerance, steps).as_slice() {
            [] => Self::No,
            places if is_sure(hunk, undo.stated, target, places) => Self::Surely,
            _ => Self::Perhaps,
        }
    }
}

/// Whether all that the hunk leaves is byte by byte below its heading, while `elsewhere` is not below it.
pub(crate) fn is_below_heading(
    hunk: &PatchHunk,
    target: &TargetText<'_>,
    elsewhere: usize,
    steps: &mut usize,
) -> bool {
    let Some(section) = section(hunk, target).filter(|section| !section.contains(&elsewhere)) else {
        return false;
    };
    let mut undo = hunk.clone();
    undo.reverse();
    if hunk.headings.is_empty() || undo.old().next().is_none() {
        return false;
    }
    let places = candidates(&undo, &OldHunkLines::of(&undo, target), target, Tolerance::EXACT, steps);
    places.iter().any(|place| section.contains(&place.start) && is_whole(hunk, target, place))
}

/// How far from its stated line all that the hunk leaves is found byte by byte; `None` if it is not, or says nothing.
pub(crate) fn distance(hunk: &PatchHunk, target: &TargetText<'_>, steps: &mut usize) -> Option<usize> {
    let mut undo = hunk.clone();
    undo.reverse();
    let stated = [hunk.stated?, undo.stated?].map(Stated::first_line);
    undo.old().next()?;
    let places = candidates(&undo, &OldHunkLines::of(&undo, target), target, Tolerance::EXACT, steps);
    let whole = places.iter().filter(|place| is_whole(hunk, target, place));
    whole.flat_map(|place| stated.map(|line| line.abs_diff(place.start))).min()
}

fn is_sure(
    hunk: &PatchHunk,
    stated: Option<Stated>,
    target: &TargetText<'_>,
    places: &[HunkCandidate],
) -> bool {
    let [stated, former] = [stated, hunk.stated].map(|stated| stated.map(Stated::first_line));
    if let Some(there) = places.iter().find(|place| Some(place.start) == stated) {
        return is_whole(hunk, target, there);
    }
    let [place] = places else { return false };
    if !is_whole(hunk, target, place) {
        return false;
    }
    // A header that points after the end of the file says nothing.
    let mut told = [stated, former].into_iter().flatten().filter(|line| *line < target.len()).peekable();
    if told.peek().is_some() {
        return told.any(|line| place.start.abs_diff(line) <= MAX_OFFSET) && is_distinct(hunk, target);
    }
    if !hunk.headings.is_empty() {
        return section(hunk, target).is_some_and(|section| section.contains(&place.start));
    }
    is_distinct(hunk, target) || is_one_line(hunk)
}

/// Whether the lines say something. Those of a hunk that only removes must show that nothing is left between them.
fn is_whole(hunk: &PatchHunk, target: &TargetText<'_>, place: &HunkCandidate) -> bool {
    let stays = |line: &&HunkLine| line.role != Role::Remove;
    if added(hunk).next().is_some() {
        return hunk.lines.iter().filter(stays).any(|line| is_telling(&line.text));
    }
    let (leading, trailing) = hunk.context();
    let above = leading > 0 || place.start == 0;
    let below = trailing > 0 || place.end == target.len();
    above && below && context(hunk).any(|line| is_telling(&line.text))
}

/// Whether the lines cannot be meant elsewhere: by a line of context that is nowhere else, or by several that come.
fn is_distinct(hunk: &PatchHunk, target: &TargetText<'_>) -> bool {
    let is_only = |line: &HunkLine| target.places(target.number_of(&line.text)).len() == 1;
    context(hunk).any(|line| is_telling(&line.text) && is_only(line))
        || added(hunk).filter(|line| is_telling(&line.text)).count() > 1
}

/// Whether the one line that is left of the hunk comes with it, and is more than structure.
fn is_one_line(hunk: &PatchHunk) -> bool {
    let is_more = |line: &HunkLine| is_telling(&line.text) && !is_structural(bare(&line.text));
    context(hunk).next().is_none() && added(hunk).any(is_more)
}

/// The lines below the last heading that are indented deeper than it, with each heading in the section of the one
/// before.
fn section(hunk: &PatchHunk, target: &TargetText<'_>) -> Option<Range<usize>> {
    let mut section = 0..target.len();
    for heading in &hunk.headings {
        let at = target.headed(heading, section.clone())?;
        let depth = indent(target.line(at)).len();
        let is_deeper = |line: &usize| target.is_blank(*line) || indent(target.line(*line)).len() > depth;
        let end = (at + 1..section.end).find(|line| !is_deeper(line)).unwrap_or(section.end);
        section = at + 1..end;
    }
    Some(section)
}

fn context(hunk: &PatchHunk) -> impl Iterator<Item = &HunkLine> {
    hunk.lines.iter().filter(|line| line.role == Role::Context)
}

fn added(hunk: &PatchHunk) -> impl Iterator<Item = &HunkLine> {
    hunk.lines.iter().filter(|line| line.role == Role::Add)
}
