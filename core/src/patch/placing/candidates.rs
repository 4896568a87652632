//! Finds the places where a hunk can lie, for one degree of tolerance.
//!
//! Which of them is meant is for `ladder` to say.

use super::align::{Aligned, LineLikeness, OldHunkLines, Tolerance, align};
use super::line::is_telling;
use super::line_changes::{LineChange, line_changes};
use super::target_text::{NOWHERE, TargetText};
use crate::patch::hunk::{PatchHunk, Role};

/// A place where a hunk can lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HunkCandidate {
    pub aligned: Aligned,
    pub changes: Vec<LineChange>,
    /// The line of the text that the first old line is, or would be.
    pub start: usize,
    /// The line after the last old line.
    pub end: usize,
    /// How many lines of context at either end were allowed to be wrong.
    pub fuzz: usize,
    /// To how many places what is added can go here.
    pub places: usize,
}

impl HunkCandidate {
    pub(crate) fn new(hunk: &PatchHunk, aligned: Aligned, target: &TargetText<'_>) -> Option<Self> {
        let (first, at) = aligned.iter().enumerate().find_map(|(old, at)| Some((old, (*at)?)))?;
        let (last, end) = aligned.iter().rev().enumerate().find_map(|(old, at)| Some((old, (*at)?)))?;
        let (changes, places) = line_changes(hunk, &aligned, target);
        let start = at.saturating_sub(first);
        Some(Self { changes, start, end: end + 1 + last, aligned, fuzz: 0, places })
    }

    /// How many old lines were left out.
    pub(crate) fn left_out(&self) -> usize {
        self.aligned.iter().filter(|at| at.is_none()).count()
    }
}

/// All places for `hunk`, in the order of the text; those of which nothing is known are none.
pub(crate) fn candidates(
    hunk: &PatchHunk,
    old: &OldHunkLines<'_>,
    target: &TargetText<'_>,
    tolerance: Tolerance,
    steps: &mut usize,
) -> Vec<HunkCandidate> {
    let mut found: Vec<HunkCandidate> = Vec::new();
    for held in held(old, target, tolerance) {
        for at in target.places(old.lines[held].number) {
            let Some(aligned) = align(old, target, (held, *at), tolerance, steps) else { continue };
            if is_evident(hunk, old, target, &aligned, tolerance) {
                found.extend(HunkCandidate::new(hunk, aligned, target));
            }
        }
    }
    found.sort_by_key(|candidate| (candidate.start, candidate.left_out()));
    let mut kept: Vec<HunkCandidate> = Vec::with_capacity(found.len());
    for candidate in found {
        let known = kept.iter().rev().take_while(|before| before.end + old.lines.len() >= candidate.start);
        if !known.into_iter().any(|before| before.changes == candidate.changes) {
            kept.push(candidate);
        }
    }
    kept
}

/// The place where the header says it is, for a hunk that fits there byte by byte.
pub(crate) fn exactly_at(hunk: &PatchHunk, target: &TargetText<'_>, start: usize) -> Option<HunkCandidate> {
    let old: Vec<_> = hunk.old().collect();
    let fits = start + old.len() <= target.len()
        && old.iter().enumerate().all(|(index, line)| super::align::is_exact(line, target, start + index));
    let aligned = (start..start + old.len()).map(Some).collect();
    fits.then(|| HunkCandidate::new(hunk, aligned, target)).flatten()
}

/// The old lines of which one is in every place: the rarest that cannot be left out, else all.
fn held(old: &OldHunkLines<'_>, target: &TargetText<'_>, tolerance: Tolerance) -> Vec<usize> {
    let may_go = tolerance.fuzz > 0 || tolerance.internal > 0;
    let lines = || old.lines.iter().enumerate().filter(|(_, line)| !line.blank);
    let needed = || lines().filter(|(_, line)| !may_go || line.line.role == Role::Remove);
    if needed().any(|(_, line)| line.number == NOWHERE) {
        return Vec::new();
    }
    match needed().min_by_key(|(_, line)| target.places(line.number).len()) {
        Some((rarest, _)) => vec![rarest],
        None => lines().map(|(index, _)| index).collect(),
    }
}

/// Whether the lines that were found say enough: something telling always, some context where context was
/// given up, and context on both sides of the change where lines were left out within.
fn is_evident(
    hunk: &PatchHunk,
    old: &OldHunkLines<'_>,
    target: &TargetText<'_>,
    aligned: &Aligned,
    tolerance: Tolerance,
) -> bool {
    let found = || old.lines.iter().zip(aligned).filter(|(_, at)| at.is_some()).map(|(line, _)| line);
    let is_context = |line: &&super::align::OldLine<'_>| line.line.role == Role::Context && !line.blank;
    let untold =
        tolerance.likeness == LineLikeness::Loose && !found().any(|line| is_telling(&line.line.text));
    if untold && !is_last(hunk, target, aligned) {
        return false;
    }
    if tolerance.fuzz > 0 && !found().any(|line| is_context(&line)) {
        return false;
    }
    if tolerance.structural > 0 || tolerance.internal > 0 {
        let (leading, trailing) = hunk.context();
        let behind = old.lines.len() - trailing;
        let some = |range: std::ops::Range<usize>| range.into_iter().any(|index| aligned[index].is_some());
        return some(0..leading) && some(behind..old.lines.len());
    }
    true
}

/// Whether a hunk that is meant for the end of the file has its last lines there: two brackets say where that is.
fn is_last(hunk: &PatchHunk, target: &TargetText<'_>, aligned: &Aligned) -> bool {
    let ends = aligned.last().copied().flatten().is_some_and(|at| at + 1 == target.len());
    hunk.is_pinned_to_end() && ends && aligned.iter().flatten().count() > 1
}
