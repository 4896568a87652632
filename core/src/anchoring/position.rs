//! Where an anchor is now, and why the engine thinks so.

use crate::git::RepoPath;
use crate::record::Range;

/// Where an anchor is now, for one head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// The same text, where the diff says it is.
    Anchored {
        /// The place.
        site: Site,
        /// Whether its file has another name now.
        renamed: bool,
    },
    /// The same content, found by more than the diff.
    Shifted {
        /// The place.
        site: Site,
        /// What found it.
        why: Shift,
        /// How sure that is.
        confidence: MatchConfidence,
        /// Other places that were considered, the best first.
        candidates: Vec<SiteCandidate>,
    },
    /// Changed content; the place is the best guess.
    Outdated {
        /// The place.
        guess: Site,
        /// What led there.
        why: Outdating,
        /// How sure that is.
        confidence: MatchConfidence,
        /// Other places that were considered, the best first.
        candidates: Vec<SiteCandidate>,
    },
    /// No place can be defended; what could be one is offered to a person.
    Orphaned {
        /// What is missing.
        why: Orphaning,
        /// Places that were considered, the best first.
        candidates: Vec<SiteCandidate>,
    },
}

/// A place in the head, or for deleted lines in its base.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The file.
    pub path: RepoPath,
    /// The lines; `None` for the whole file.
    pub range: Option<Range>,
    /// For prose: the words, on the page and in the source.
    pub passage: Option<Passage>,
}

/// Where words are: as people read them, and in the file.
///
/// The first counts bytes of the rendered text, the second bytes of the source with the marks of all
/// that is selected whole. For text that is not Markdown they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passage {
    /// In the rendered text.
    pub rendered: ByteRange,
    /// In the source.
    pub source: ByteRange,
}

/// A run of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteRange {
    /// The first byte, counted from zero.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A place that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteCandidate {
    /// The place.
    pub site: Site,
    /// How well it fits.
    pub confidence: MatchConfidence,
}

/// How sure the engine is, in per mille.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchConfidence(u16);

/// Why content counts as the same although the diff does not say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shift {
    /// Only white space, quotes or line ends differ.
    Reformatted,
    /// A few lines were inserted inside.
    Grown,
    /// The lines are elsewhere in their file.
    MovedWithin,
    /// The lines are in another file.
    MovedAcross,
    /// The history between the two commits leads there, one comparison does not.
    History,
    /// The text alone was found; there was no old file to compare with.
    Text,
    /// An equal line is or was beside the lines, and nothing says which of the two was meant.
    Twin,
    /// The quoted words read as before, in lines that changed.
    Quoted,
}

/// What led to a best guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outdating {
    /// The lines have a counterpart in the rewritten hunk.
    ChangedInPlace,
    /// Similar lines are elsewhere in the file.
    Similar,
    /// Similar lines are in another file.
    SimilarAcross,
    /// The lines are gone; what was around them is still there.
    Deleted,
    /// The history between the two commits leads there.
    History,
    /// Other lines are in their place, between neighbours that are still there.
    Replaced,
    /// The change no longer deletes the lines; they are in its base.
    Restored,
    /// A suggestion of the thread was applied, and wrote what is here. Set by the caller, who knows
    /// what it wrote: it does not follow from the anchor.
    Applied,
}

/// Why no place can be defended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Orphaning {
    /// The lines are gone.
    Deleted,
    /// The file is gone, and so is its content.
    FileDeleted,
    /// The diff did not keep the lines, and this kind of file is never searched.
    Bypassed,
    /// Several places fit equally well.
    Ambiguous,
    /// What is there now has no lines: a directory, a link, a submodule or binary content.
    NotText,
    /// The anchor itself names lines that its file does not have.
    Impossible,
}

impl Site {
    /// A place in `path`.
    pub fn new(path: RepoPath, range: Option<Range>) -> Self {
        Self { path, range, passage: None }
    }
}

impl From<std::ops::Range<usize>> for ByteRange {
    fn from(bytes: std::ops::Range<usize>) -> Self {
        Self { start: bytes.start, end: bytes.end }
    }
}

impl Position {
    /// The place, unless orphaned.
    pub fn site(&self) -> Option<&Site> {
        match self {
            Self::Anchored { site, .. } | Self::Shifted { site, .. } => Some(site),
            Self::Outdated { guess, .. } => Some(guess),
            Self::Orphaned { .. } => None,
        }
    }

    /// How sure the engine is of the place; nothing for an orphan.
    pub fn confidence(&self) -> MatchConfidence {
        match self {
            Self::Anchored { .. } => MatchConfidence::CERTAIN,
            Self::Shifted { confidence, .. } | Self::Outdated { confidence, .. } => *confidence,
            Self::Orphaned { .. } => MatchConfidence::NONE,
        }
    }

    /// Other places that were considered.
    pub fn candidates(&self) -> &[SiteCandidate] {
        match self {
            Self::Anchored { .. } => &[],
            Self::Shifted { candidates, .. }
            | Self::Outdated { candidates, .. }
            | Self::Orphaned { candidates, .. } => candidates,
        }
    }

    /// The state's name: `anchored`, `shifted`, `outdated` or `orphaned`.
    pub fn state(&self) -> &'static str {
        match self {
            Self::Anchored { .. } => "anchored",
            Self::Shifted { .. } => "shifted",
            Self::Outdated { .. } => "outdated",
            Self::Orphaned { .. } => "orphaned",
        }
    }

    /// The name of what led here.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Anchored { renamed: false, .. } => "translated",
            Self::Anchored { renamed: true, .. } => "renamed",
            Self::Shifted { why, .. } => match why {
                Shift::Reformatted => "reformatted",
                Shift::Grown => "grown",
                Shift::MovedWithin => "moved",
                Shift::MovedAcross => "moved-to-file",
                Shift::History => "history",
                Shift::Text => "text",
                Shift::Twin => "twin",
                Shift::Quoted => "quote",
            },
            Self::Outdated { why, .. } => match why {
                Outdating::ChangedInPlace => "changed-in-place",
                Outdating::Similar => "similar",
                Outdating::SimilarAcross => "similar-in-file",
                Outdating::Deleted => "deleted",
                Outdating::History => "history",
                Outdating::Replaced => "replaced",
                Outdating::Restored => "restored",
                Outdating::Applied => "applied",
            },
            Self::Orphaned { why, .. } => match why {
                Orphaning::Deleted => "deleted",
                Orphaning::FileDeleted => "file-deleted",
                Orphaning::Bypassed => "bypassed",
                Orphaning::Ambiguous => "ambiguous",
                Orphaning::NotText => "not-text",
                Orphaning::Impossible => "impossible",
            },
        }
    }
}

impl MatchConfidence {
    /// No doubt.
    pub const CERTAIN: Self = Self(1000);
    /// No place.
    pub const NONE: Self = Self(0);

    /// From a score between 0 and 1; what lies outside is cut.
    pub fn from_score(score: f64) -> Self {
        Self((score.clamp(0.0, 1.0) * 1000.0) as u16)
    }

    /// From per mille; `None` above a thousand.
    pub fn from_per_mille(per_mille: u16) -> Option<Self> {
        (per_mille <= 1000).then_some(Self(per_mille))
    }

    /// In per mille.
    pub fn per_mille(self) -> u16 {
        self.0
    }
}
