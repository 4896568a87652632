//! Gives a hunk the one place where it can be meant, stage by stage, or none.
//!
//! Of several equal places the nearest to the stated line is meant, where a line is stated; otherwise
//! none is. Before any context is given up it is asked whether the hunk is applied already.

use std::ops::Range;

use super::align::{OldHunkLines, Tolerance, is_exact};
use super::applied_before::{AppliedBefore, distance, is_below_heading};
use super::candidates::{HunkCandidate, candidates, exactly_at};
use super::line::{is_blank, is_telling, loose};
use super::target_text::TargetText;
use crate::patch::bounds::{MAX_FUZZ, MAX_INTERNAL_CONTEXT, MAX_OFFSET, MAX_STRUCTURAL};
use crate::patch::hunk::{End, PatchHunk, Role, Stated};
use crate::patch::outcome::{HunkProblem, PlacementStage};

/// Looks for the places of the hunks of one file, one after the other.
pub(crate) struct Ladder<'a> {
    target: &'a TargetText<'a>,
    /// Whether the header of a hunk names a line in the file.
    is_of_lines: bool,
    ordered: bool,
    /// Where the hunk before ended.
    after: usize,
    /// The lines that hunks before this one replace.
    taken: Vec<Range<usize>>,
    /// How far the hunk before was from its stated line.
    drift: isize,
    steps: usize,
}

/// Which places are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Stated,
    Near,
    Anywhere,
}

impl<'a> Ladder<'a> {
    pub(crate) fn new(target: &'a TargetText<'a>, hunks: &[PatchHunk], ordered: bool, steps: usize) -> Self {
        let is_of_lines = hunks.iter().filter_map(|hunk| hunk.stated).any(|stated| stated.old_start > 0);
        Self { target, is_of_lines, ordered, after: 0, taken: Vec::new(), drift: 0, steps }
    }

    /// The place of the next hunk.
    pub(crate) fn place(&mut self, hunk: &PatchHunk) -> Result<(PlacementStage, HunkCandidate), HunkProblem> {
        let found = self.find(hunk);
        if let Ok((_, candidate)) = &found {
            self.after = candidate.end.min(self.target.len());
            self.taken.extend(candidate.changes.iter().map(|change| change.lines.clone()));
            if let Some(stated) = hunk.stated {
                self.drift = candidate.start.cast_signed().saturating_sub(stated.first_line().cast_signed());
            }
        }
        found
    }

    fn find(&mut self, hunk: &PatchHunk) -> Result<(PlacementStage, HunkCandidate), HunkProblem> {
        if hunk.old().next().is_none() {
            return self.without_old_lines(hunk).map(|candidate| (PlacementStage::Strict, candidate));
        }
        let pinned = self.pinned(hunk);
        // Who says that it ends where the file ends says more than a header.
        let stated = hunk.stated.filter(|_| hunk.end != End::Said || pinned.is_none());
        if let Some(there) = stated.and_then(|stated| exactly_at(hunk, self.target, stated.first_line())) {
            // What is added after all of the context does not hinder it from fitting again.
            let (_, trailing) = hunk.context();
            let applied = hunk.is_pinned_to_end() && trailing == 0 && self.is_there(hunk, &there);
            return if applied {
                pinned.ok_or(HunkProblem::AlreadyApplied)
            } else {
                Ok((PlacementStage::Strict, there))
            };
        }
        if let Some(pinned) = pinned {
            return Ok(pinned);
        }
        let old = OldHunkLines::of(hunk, self.target);
        // What only differs in white space from what it makes would else be made again and again.
        if self.is_not_exact(hunk, &old) {
            self.refuse_done(hunk, Tolerance::EXACT)?;
        }
        for (stage, whence, tolerance) in full(hunk) {
            if let Some(found) = self.at(hunk, &old, stage, whence, tolerance)? {
                return if self.is_twin(hunk, &found) {
                    Err(HunkProblem::AlreadyApplied)
                } else {
                    Ok((stage, found))
                };
            }
        }
        self.refuse_done(hunk, Tolerance::LOOSE)?;
        for (stage, whence, tolerance) in partial(hunk) {
            if let Some(found) = self.at(hunk, &old, stage, whence, tolerance)? {
                return Ok((stage, found));
            }
        }
        let places = candidates(hunk, &old, self.target, Tolerance::BLANK, &mut self.steps);
        Err(match places.iter().any(|candidate| self.is_taken(candidate)) {
            _ if self.steps == 0 => HunkProblem::TooCostly,
            true => HunkProblem::Overlap,
            false => HunkProblem::NotFound,
        })
    }

    /// The end of the file, where the hunk is meant to be there and fits.
    fn pinned(&self, hunk: &PatchHunk) -> Option<(PlacementStage, HunkCandidate)> {
        if !hunk.is_pinned_to_end() {
            return None;
        }
        let start = self.target.len().checked_sub(hunk.old().count())?;
        let away = hunk.stated.map_or(0, |stated| stated.first_line().abs_diff(start));
        let stage = match away {
            0 => PlacementStage::Strict,
            1..=MAX_OFFSET => PlacementStage::Fuzz,
            _ => PlacementStage::Reanchored,
        };
        Some((stage, exactly_at(hunk, self.target, start)?))
    }

    fn at(
        &mut self,
        hunk: &PatchHunk,
        old: &OldHunkLines<'_>,
        stage: PlacementStage,
        whence: Where,
        tolerance: Tolerance,
    ) -> Result<Option<HunkCandidate>, HunkProblem> {
        // Where blank lines are all that changes, each of them counts.
        let mut changed = hunk.lines.iter().filter(|line| line.role != Role::Context);
        let blank = if changed.all(|line| is_blank(&line.text)) { 0 } else { tolerance.blank };
        let tolerance = Tolerance { blank, ..tolerance };
        let mut found = candidates(hunk, old, self.target, tolerance, &mut self.steps);
        if self.steps == 0 {
            return Err(HunkProblem::TooCostly);
        }
        // Where lines repeat, the place of the hunk before is not this one's too.
        found.retain(|candidate| !self.is_taken(candidate));
        if let (Some(stated), Where::Stated | Where::Near) = (hunk.stated, whence) {
            let reach = if whence == Where::Near { MAX_OFFSET } else { 0 };
            found.retain(|candidate| candidate.start.abs_diff(stated.first_line()) <= reach);
        }
        // As GNU patch has it: context that the end of the file cut off is not given up before it would be even.
        let (leading, trailing) = hunk.context();
        if hunk.is_pinned_to_end() && (1..leading.saturating_sub(trailing)).contains(&tolerance.fuzz) {
            found.retain(|candidate| self.is_at_end(candidate));
        }
        if stage != PlacementStage::Strict || hunk.is_pinned_to_end() {
            let places = found.len();
            found.retain(|candidate| !self.is_there(hunk, candidate));
            if found.is_empty() && places > 0 {
                self.refuse_done(hunk, Tolerance::LOOSE)?;
                return Err(HunkProblem::NotFound);
            }
        }
        // Without all of its context, a hunk is where it says rather than where its context would end.
        let is_pinned = hunk.is_pinned_to_end() && (tolerance.fuzz == 0 || hunk.end == End::Said);
        match self.choose(hunk, found, is_pinned)? {
            Some(found) if found.places > 1 => Err(HunkProblem::Ambiguous(found.places)),
            found => Ok(found.map(|found| HunkCandidate { fuzz: tolerance.fuzz, ..found })),
        }
    }

    /// One place or none.
    fn choose(
        &self,
        hunk: &PatchHunk,
        mut found: Vec<HunkCandidate>,
        is_pinned: bool,
    ) -> Result<Option<HunkCandidate>, HunkProblem> {
        if is_pinned {
            prefer(&mut found, |candidate| self.is_at_end(candidate));
        }
        if let Some(heading) = self.heading(hunk) {
            prefer(&mut found, |candidate| candidate.start >= heading);
        }
        if self.ordered {
            prefer(&mut found, |candidate| candidate.start >= self.after);
        }
        let Some(stated) = hunk.stated else {
            // Below a heading the first place is meant.
            let told = self.heading(hunk).zip(found.first()).is_some_and(|(at, first)| first.start >= at);
            return match found.len() {
                2.. if !told => Err(HunkProblem::Ambiguous(found.len())),
                _ => Ok(found.into_iter().next()),
            };
        };
        let stated = stated.first_line().cast_signed();
        prefer(&mut found, |candidate| candidate.start.cast_signed().saturating_sub(stated) == self.drift);
        let distance = |candidate: &HunkCandidate| candidate.start.cast_signed().abs_diff(stated);
        let Some(nearest) = found.iter().map(distance).min() else { return Ok(None) };
        found.retain(|candidate| distance(candidate) == nearest);
        if found.len() > 1 { Err(HunkProblem::Ambiguous(found.len())) } else { Ok(found.pop()) }
    }

    /// Hunks that only add lines have a place wherever nothing is given up for them: a stated line after
    /// which they come, a heading, the end of the file, or an empty file. A header that says that the file is empty has
    /// no place in another one, unless another hunk knows better.
    fn without_old_lines(&self, hunk: &PatchHunk) -> Result<HunkCandidate, HunkProblem> {
        let length = self.target.len();
        let at = match (hunk.stated, self.heading(hunk)) {
            _ if length == 0 => 0,
            // Without context, what comes above the first line is told as what comes into an empty file is.
            (Some(stated), _) if (stated.old_lines, stated.old_start) == (0, 0) && !self.is_of_lines => {
                return Err(if self.is_all(hunk) {
                    HunkProblem::AlreadyApplied
                } else {
                    HunkProblem::NothingToFind
                });
            }
            (Some(stated), _) if stated.old_lines == 0 && stated.old_start <= length => stated.old_start,
            (None, Some(heading)) => heading,
            (None, None) if hunk.end == End::Said => length,
            _ => return Err(HunkProblem::NothingToFind),
        };
        let added = (0..hunk.lines.len()).collect();
        let changes = vec![super::line_changes::LineChange { lines: at..at, added }];
        Ok(HunkCandidate { aligned: Vec::new(), changes, start: at, end: at, fuzz: 0, places: 1 })
    }

    /// Whether the text is just what the hunk adds.
    fn is_all(&self, hunk: &PatchHunk) -> bool {
        let mut lines = hunk.lines.iter().enumerate();
        hunk.lines.len() == self.target.len() && lines.all(|(at, line)| is_exact(line, self.target, at))
    }

    /// The line after the last heading, where all headings are found one below the other.
    fn heading(&self, hunk: &PatchHunk) -> Option<usize> {
        let mut below = 0;
        for heading in &hunk.headings {
            below = self.target.headed(heading, below..self.target.len())? + 1;
        }
        (!hunk.headings.is_empty()).then_some(below)
    }

    fn is_taken(&self, candidate: &HunkCandidate) -> bool {
        let meets =
            |taken: &Range<usize>, lines: &Range<usize>| taken.start < lines.end && lines.start < taken.end;
        candidate
            .changes
            .iter()
            .any(|change| self.taken.iter().rev().any(|taken| meets(taken, &change.lines)))
    }

    fn is_at_end(&self, candidate: &HunkCandidate) -> bool {
        candidate.end >= self.target.len()
    }

    /// A hunk that only adds fits again where it is applied, once its context is given up in part.
    fn is_there(&self, hunk: &PatchHunk, candidate: &HunkCandidate) -> bool {
        let only_adds = hunk.lines.iter().all(|line| line.role != Role::Remove);
        let Some(first) = candidate.changes.first() else { return false };
        let below = hunk.lines.iter().skip_while(|line| line.role == Role::Context);
        let end = first.lines.start + below.clone().count();
        only_adds
            && end <= self.target.len()
            && below
                .zip(first.lines.start..)
                .all(|(line, at)| loose(&line.text) == loose(self.target.line(at)))
    }

    /// Whether what the hunk leaves is where it is meant, nearer to its stated line than this place or below its
    /// heading: it is done there, and this is like it.
    fn is_twin(&mut self, hunk: &PatchHunk, found: &HunkCandidate) -> bool {
        let Some(stated) = hunk.stated.map(Stated::first_line) else {
            return is_below_heading(hunk, self.target, found.start, &mut self.steps);
        };
        // Where the hunk before was as far away, so is this one.
        let is_drift = stated.checked_add_signed(self.drift) == Some(found.start);
        let away = stated.abs_diff(found.start);
        let is_meant = |done: usize| done <= MAX_OFFSET && done < away;
        !is_drift && distance(hunk, self.target, &mut self.steps).is_some_and(is_meant)
    }

    /// Whether the hunk adds something, and what goes into it is nowhere byte by byte.
    fn is_not_exact(&mut self, hunk: &PatchHunk, old: &OldHunkLines<'_>) -> bool {
        let adds = hunk.lines.iter().any(|line| line.role == Role::Add && is_telling(&line.text));
        adds && candidates(hunk, old, self.target, Tolerance::EXACT, &mut self.steps).is_empty()
    }

    /// Refuses a hunk that is applied already, and one that may be: it would be applied a second time.
    fn refuse_done(&mut self, hunk: &PatchHunk, tolerance: Tolerance) -> Result<(), HunkProblem> {
        match AppliedBefore::of(hunk, self.target, tolerance, &mut self.steps) {
            AppliedBefore::Surely => Err(HunkProblem::AlreadyApplied),
            AppliedBefore::Perhaps => Err(HunkProblem::NotFound),
            AppliedBefore::No => Ok(()),
        }
    }
}

/// With all of its context: where it says, near it, anywhere.
fn full(hunk: &PatchHunk) -> Vec<(PlacementStage, Where, Tolerance)> {
    use PlacementStage::{Fuzz, Reanchored, Strict, Whitespace};
    use Where::{Anywhere, Near, Stated};
    if hunk.stated.is_none() {
        return vec![
            (Strict, Anywhere, Tolerance::EXACT),
            (Whitespace, Anywhere, Tolerance::LOOSE),
            (Whitespace, Anywhere, Tolerance::BLANK),
        ];
    }
    vec![
        (Whitespace, Stated, Tolerance::LOOSE),
        (Whitespace, Stated, Tolerance::BLANK),
        (Fuzz, Near, Tolerance::EXACT),
        (Fuzz, Near, Tolerance::LOOSE),
        (Reanchored, Anywhere, Tolerance::EXACT),
        (Reanchored, Anywhere, Tolerance::LOOSE),
        (Reanchored, Anywhere, Tolerance::BLANK),
    ]
}

/// With part of its context.
///
/// How much of the context is there comes before how near it is, so that near and far fuzz come here, by turns: the
/// tenth page of `docs/decisions` has the figures.
fn partial(hunk: &PatchHunk) -> Vec<(PlacementStage, Where, Tolerance)> {
    let fuzz = (1..=MAX_FUZZ).flat_map(|fuzz| {
        let fuzz = Tolerance { fuzz, ..Tolerance::BLANK };
        [(PlacementStage::Fuzz, Where::Near, fuzz), (PlacementStage::Reanchored, Where::Anywhere, fuzz)]
    });
    let structural = (1..=MAX_STRUCTURAL).map(|structural| {
        (PlacementStage::Structural, Where::Anywhere, Tolerance { structural, ..Tolerance::BLANK })
    });
    let internal = (1..=MAX_INTERNAL_CONTEXT).map(|internal| {
        let tolerance = Tolerance { internal, structural: MAX_STRUCTURAL - internal, ..Tolerance::BLANK };
        (PlacementStage::InternalContext, Where::Anywhere, tolerance)
    });
    // Without a stated line everywhere is near.
    let fuzz = fuzz.filter(|(stage, ..)| hunk.stated.is_some() || *stage == PlacementStage::Fuzz);
    fuzz.chain(structural).chain(internal).collect()
}

fn prefer(found: &mut Vec<HunkCandidate>, wanted: impl Fn(&HunkCandidate) -> bool) {
    if found.iter().any(&wanted) {
        found.retain(wanted);
    }
}
