//! What a patch does to one file, and how that becomes an edit of its text.
//!
//! All hunks or none. Reading and writing files is for others.

use crate::edit::TextEdit;

use super::bounds::{MAX_SEQUENCE_BYTES, MAX_STEPS};
use super::hunk::PatchHunk;
use super::outcome::{Applied, HunkFailure, HunkProblem, PatchFailure, PlacedHunk, PlacementStage};
use super::path::PatchPath;
use super::placing::align::{Aligned, LineLikeness, is_exact};
use super::placing::ladder::Ladder;
use super::placing::line_changes::replacements;
use super::placing::target_text::TargetText;

/// What happens to a file besides its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileAction {
    /// It stays where it is.
    Modify,
    /// It is made.
    Create,
    /// It goes.
    Delete,
    /// It gets another path.
    Rename,
    /// It is copied to another path.
    Copy,
}

/// The modes that git knows for files, as it writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileMode {
    /// 100644
    Plain,
    /// 100755
    Executable,
    /// 120000
    Symlink,
    /// 160000
    Submodule,
}

impl FileMode {
    /// The number that a tree has for it.
    pub fn number(self) -> u32 {
        match self {
            Self::Plain => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Symlink => 0o120_000,
            Self::Submodule => 0o160_000,
        }
    }

    /// The mode that a tree means with a number; `None` for what git does not write.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Plain, Self::Executable, Self::Symlink, Self::Submodule]
            .into_iter()
            .find(|mode| mode.number() == number)
    }
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The path before; `None` if the patch does not say.
    pub old_path: Option<PatchPath>,
    /// The path afterwards.
    pub new_path: Option<PatchPath>,
    /// What happens to the file.
    pub kind: FileAction,
    /// Its mode before and afterwards, where the patch says.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// What happens to its lines.
    pub hunks: Hunks,
}

/// The hunks of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hunks {
    /// They are in the order of the file.
    InOrder(Vec<PatchHunk>),
    /// They are in any order.
    AnyOrder(Vec<PatchHunk>),
    /// They are of the bytes of a binary file.
    Binary,
}

impl FilePatch {
    /// The patch that undoes this one.
    pub fn reverse(&mut self) {
        std::mem::swap(&mut self.old_path, &mut self.new_path);
        self.modes = (self.modes.1, self.modes.0);
        self.kind = match self.kind {
            FileAction::Create | FileAction::Copy => FileAction::Delete,
            FileAction::Delete => FileAction::Create,
            kind @ (FileAction::Modify | FileAction::Rename) => kind,
        };
        match &mut self.hunks {
            Hunks::InOrder(hunks) => hunks.iter_mut().for_each(PatchHunk::reverse),
            Hunks::AnyOrder(hunks) => {
                hunks.iter_mut().for_each(PatchHunk::reverse);
                // The last one may build on those before it.
                hunks.reverse();
            }
            Hunks::Binary => {}
        }
    }

    /// Applies all hunks to a text without the mark of UTF-8.
    pub(super) fn apply_to(&self, base: &[u8]) -> Result<Applied, PatchFailure> {
        match &self.hunks {
            Hunks::InOrder(hunks) => apply_at_once(hunks, HunkOrder::Kept, base, MAX_STEPS),
            Hunks::AnyOrder(hunks) => {
                let applied = apply_at_once(hunks, HunkOrder::Any, base, MAX_STEPS);
                match &applied {
                    Err(PatchFailure::Hunks { failed, .. })
                        if failed.iter().all(|hunk| hunk.why == HunkProblem::NotFound) =>
                    {
                        apply_in_turn(hunks, base).map_or(applied, Ok)
                    }
                    _ => applied,
                }
            }
            Hunks::Binary => Err(PatchFailure::Binary),
        }
    }
}

/// Whether hunks are in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HunkOrder {
    Kept,
    Any,
}

/// Applies each hunk to what those before it left, as the author of the blocks may have meant.
fn apply_in_turn(hunks: &[PatchHunk], base: &[u8]) -> Option<Applied> {
    let steps = MAX_STEPS / hunks.len().max(1);
    let mut whole = Applied { text: base.to_vec(), edit: TextEdit::nothing(), hunks: Vec::new() };
    for (index, hunk) in hunks.iter().enumerate() {
        if whole.text.len().saturating_mul(hunks.len()) > MAX_SEQUENCE_BYTES {
            return None;
        }
        let applied = apply_at_once(std::slice::from_ref(hunk), HunkOrder::Any, &whole.text, steps).ok()?;
        whole.edit = whole.edit.compose(&applied.edit.map_data(|_, _| index));
        whole.text = applied.text;
        whole.hunks.extend(applied.hunks);
    }
    Some(whole)
}

/// Applies all hunks to one text.
fn apply_at_once(
    hunks: &[PatchHunk],
    order: HunkOrder,
    base: &[u8],
    steps: usize,
) -> Result<Applied, PatchFailure> {
    let target = TargetText::new(base);
    let ordered = order == HunkOrder::Kept;
    let mut ladder = Ladder::new(&target, hunks, ordered, steps);
    let mut placed = Vec::with_capacity(hunks.len());
    let mut made = Vec::new();
    let mut failed = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        if !hunk.is_change() {
            placed.push(PlacedHunk {
                stage: PlacementStage::Strict,
                line: 0,
                left_out: 0,
                fuzz: 0,
                likeness: LineLikeness::Exact,
            });
            continue;
        }
        match ladder.place(hunk) {
            Ok((stage, found)) => {
                let (line, left_out, fuzz) = (found.start + 1, found.left_out(), found.fuzz);
                let likeness = likeness(hunk, &found.aligned, &target);
                placed.push(PlacedHunk { stage, line, left_out, fuzz, likeness });
                made.extend(replacements(hunk, &found.aligned, &found.changes, &target, index));
            }
            Err(why) => failed.push(failure(index, hunk, why, &target)),
        }
    }
    if failed.is_empty() && ordered {
        let strayed = strayed(hunks, &placed);
        failed.extend(strayed.map(|index| failure(index, &hunks[index], HunkProblem::Strayed, &target)));
    }
    made.sort_by_key(|made| (made.start(), made.end()));
    if failed.is_empty() {
        let overlaps = made.windows(2).filter(|pair| {
            let same_point = pair[0].range() == pair[1].range() && pair[0].data() != pair[1].data();
            pair[1].start() < pair[0].end() || same_point
        });
        let hunk_of = |pair: &[crate::edit::Replacement<usize>]| *pair[1].data();
        failed.extend(
            overlaps.map(hunk_of).map(|index| failure(index, &hunks[index], HunkProblem::Overlap, &target)),
        );
    }
    if !failed.is_empty() {
        let changing = hunks.iter().filter(|hunk| hunk.is_change()).count();
        let all =
            failed.len() == changing && failed.iter().all(|hunk| hunk.why == HunkProblem::AlreadyApplied);
        let hunks = hunks.len();
        return Err(if all { PatchFailure::AlreadyApplied } else { PatchFailure::Hunks { hunks, failed } });
    }
    let edit = TextEdit::new(made).expect("replacements were sorted and none overlaps the next");
    let text = edit.apply(base).expect("replacements are of lines of this text");
    Ok(Applied { text, edit, hunks: placed })
}

fn likeness(hunk: &PatchHunk, aligned: &Aligned, target: &TargetText<'_>) -> LineLikeness {
    let mut found = hunk.old().zip(aligned).filter_map(|(line, at)| Some((line, (*at)?)));
    if found.all(|(line, at)| is_exact(line, target, at)) { LineLikeness::Exact } else { LineLikeness::Loose }
}

/// The hunks that were put on the other side of a neighbour than their headers say: those with part of their context
/// alone, and those whose header is far off while the neighbour's is not. They are meant elsewhere, or are done already.
fn strayed<'a>(hunks: &'a [PatchHunk], placed: &'a [PlacedHunk]) -> impl Iterator<Item = usize> + 'a {
    let is_crossed = move |at: &usize| {
        let stated = hunks[*at].stated.zip(hunks[at + 1].stated);
        let (one, next) = (&placed[*at], &placed[at + 1]);
        let both = hunks[*at].is_change() && hunks[at + 1].is_change();
        both && stated.is_some_and(|(one, next)| one.old_start < next.old_start) && next.line < one.line
    };
    let is_far = move |at: usize| placed[at].stage >= PlacementStage::Reanchored;
    let is_partial = move |at: usize| placed[at].fuzz > 0 || placed[at].stage > PlacementStage::Reanchored;
    let pairs =
        (0..hunks.len().saturating_sub(1)).filter(is_crossed).flat_map(|at| [(at, at + 1), (at + 1, at)]);
    pairs.filter(move |(at, other)| is_partial(*at) || (is_far(*at) && !is_far(*other))).map(|(at, _)| at)
}

/// Says what a hunk expects, and what is where most of its lines are.
fn failure(index: usize, hunk: &PatchHunk, why: HunkProblem, target: &TargetText<'_>) -> HunkFailure {
    let expected: Vec<_> = hunk.old().map(|line| line.text.clone()).collect();
    let stated = hunk.stated.map_or(0, |stated| stated.old_start.saturating_sub(1));
    let line = nearest(&expected, target).unwrap_or(stated).min(target.len());
    let end = line.saturating_add(expected.len()).min(target.len());
    let actual = (line..end).map(|line| target.line(line).to_vec()).collect();
    HunkFailure { hunk: index, patch_line: hunk.patch_line, why, expected, actual, line: line + 1 }
}

/// The line where most of the expected lines would be in their places; the first of several.
fn nearest(expected: &[Vec<u8>], target: &TargetText<'_>) -> Option<usize> {
    /// Lines that are in more places than this say nothing.
    const MAX_PLACES: usize = 64;
    let mut votes = std::collections::BTreeMap::<usize, usize>::new();
    for (offset, line) in expected.iter().enumerate() {
        let places = target.places(target.number_of(line));
        for place in places.iter().filter(|_| places.len() <= MAX_PLACES) {
            if let Some(start) = place.checked_sub(offset) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    votes.into_iter().max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start))).map(|(start, _)| start)
}
