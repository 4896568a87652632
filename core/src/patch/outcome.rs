//! What became of a patch: where each hunk was put and how, or why it was not.

use crate::edit::TextEdit;

use super::placing::align::LineLikeness;

/// How much tolerance it took to find a hunk's place; each stage is entered when the one before fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlacementStage {
    /// Byte by byte, where its header says, or in one place only where it says nothing.
    Strict,
    /// There too, but for white space, quotes and dashes, and blank lines.
    Whitespace,
    /// At most ten lines away, with at most two lines of context wrong at either end.
    Fuzz,
    /// Anywhere: the header was wrong.
    Reanchored,
    /// With at most two closing brackets or comments that the hunk left out.
    Structural,
    /// With at most two lines within its context too many or too few.
    InternalContext,
}

impl PlacementStage {
    /// The name that results show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Whitespace => "whitespace",
            Self::Fuzz => "fuzz",
            Self::Reanchored => "reanchored",
            Self::Structural => "structural",
            Self::InternalContext => "internal-context",
        }
    }
}

/// Where a hunk was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedHunk {
    /// How its place was found.
    pub stage: PlacementStage,
    /// Its first line in the text before, counted from one; for blocks that build on each other, in what those before left.
    pub line: usize,
    /// How many lines of its context were left out at the ends or within.
    pub left_out: usize,
    /// How many lines of context at either end had to be allowed to be wrong.
    pub fuzz: usize,
    /// How like the lines of the text those of the hunk are that were found.
    pub likeness: LineLikeness,
}

/// A text with a patch applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The text afterwards.
    pub text: Vec<u8>,
    /// What was changed, over the text before; the data is the index of the hunk.
    pub edit: TextEdit<usize>,
    /// Where each hunk was put, in the order of the patch.
    pub hunks: Vec<PlacedHunk>,
}

impl Applied {
    /// The stages that were needed, each once, in their order; a wrong header, wrong white space and wrong context are
    /// three.
    pub fn stages(&self) -> Vec<PlacementStage> {
        let fuzzy = |hunk: &PlacedHunk| (hunk.fuzz > 0).then_some(PlacementStage::Fuzz);
        let loose =
            |hunk: &PlacedHunk| (hunk.likeness == LineLikeness::Loose).then_some(PlacementStage::Whitespace);
        let needed = |hunk| [loose(hunk), fuzzy(hunk), Some(hunk.stage)].into_iter().flatten();
        let mut stages: Vec<_> = self.hunks.iter().flat_map(needed).collect();
        stages.sort_unstable();
        stages.dedup();
        stages
    }
}

/// Why a patch was not applied to a text, of which nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFailure {
    /// Everything the patch does is there.
    #[error("the patch is already applied")]
    AlreadyApplied,
    /// Some hunks have no place.
    #[error("{} of {hunks} hunks do not match", failed.len())]
    Hunks {
        /// How many hunks there are.
        hunks: usize,
        /// Those without a place.
        failed: Vec<HunkFailure>,
    },
    /// The patch makes a file that is there, with other content.
    #[error("the file already exists")]
    Exists,
    /// The patch does not say which file it changes.
    #[error("the patch does not name a file")]
    Unnamed,
    /// The patch changes or deletes a file that is not there.
    #[error("no such file")]
    Missing,
    /// The patch deletes a file that has more in it.
    #[error("cannot delete the file: it has {left} bytes that are not in the patch")]
    MoreThanDeleted {
        /// How many bytes would be left.
        left: usize,
    },
    /// The patch is of the bytes of a binary file, which are not read here.
    #[error("the patch is of a binary file")]
    Binary,
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkFailure {
    /// Which hunk of the file, counted from zero.
    pub hunk: usize,
    /// The line of the patch it begins at, counted from one.
    pub patch_line: usize,
    /// What is wrong.
    pub why: HunkProblem,
    /// The lines that it expects.
    pub expected: Vec<Vec<u8>>,
    /// The lines that are where it comes nearest.
    pub actual: Vec<Vec<u8>>,
    /// The first of those, counted from one.
    pub line: usize,
}

/// What is wrong with a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkProblem {
    /// Its lines are nowhere.
    #[error("its lines were not found")]
    NotFound,
    /// Its lines are in several places, or what it adds can go there, and nothing says which is meant.
    #[error("it matches in {0} places")]
    Ambiguous(usize),
    /// What it does is there already, though the rest of the patch is not.
    #[error("it is already applied, but others are not")]
    AlreadyApplied,
    /// Another hunk changes the same lines.
    #[error("it changes the same lines as another hunk")]
    Overlap,
    /// Part of its context is on the other side of a neighbour than its header says.
    #[error("only part of its context was found, and not between the hunks around it")]
    Strayed,
    /// It has no line that could be looked for.
    #[error("it has no lines to search for")]
    NothingToFind,
    /// The search was given up.
    #[error("searching for it would take too long")]
    TooCostly,
}
