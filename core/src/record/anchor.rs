//! What a comment was put on, as the reviewer saw it.
//!
//! An anchor never changes. Where it is now is a position, and finding that is `anchoring`'s work.

use super::Range;
use crate::git::{BlobId, CommitId, RepoPath};

/// What a comment was put on, as the reviewer saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The commit that was looked at; `None` for text that was not committed.
    pub commit: Option<CommitId>,
    /// The path of the file there.
    pub path: RepoPath,
    /// The file's content; `None` where the change deleted the file.
    pub blob: Option<BlobId>,
    /// Whether `range` counts lines of the head or of the base.
    pub side: Side,
    /// The commented lines; `None` for the whole file.
    pub range: Option<Range>,
    /// The commented lines' text.
    pub lines: Vec<Line>,
    /// Up to [`CONTEXT_LINES`](super::CONTEXT_LINES) lines before them, in the file's order.
    pub before: Vec<Line>,
    /// Up to [`CONTEXT_LINES`](super::CONTEXT_LINES) lines behind them.
    pub after: Vec<Line>,
    /// For prose: the words that were selected, as rendered.
    pub quote: Option<Quote>,
    /// For prose: the headings above, outermost first.
    pub headings: Vec<String>,
    /// For code: the chain of less-indented lines above, outermost first.
    pub scope: Vec<Line>,
}

/// Which version of the file the commented lines belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// Lines of the head.
    New,
    /// Lines of the base that the change deleted.
    Old(Old),
}

/// The base that a comment on deleted lines was made against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// The base commit.
    pub commit: CommitId,
    /// The file's content there.
    pub blob: BlobId,
    /// Its path there, where that is not the anchor's.
    pub path: Option<RepoPath>,
}

/// One line of a file, without its newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The bytes of the line; a carriage return at its end is part of it.
    Text(Vec<u8>),
    /// The BLAKE3 of a line that is too long to store, or that holds the record tag.
    Hash([u8; 32]),
}

/// Words of a rendered document, with what stands around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The words themselves.
    pub exact: String,
    /// What stands before them.
    pub prefix: String,
    /// What stands behind them.
    pub suffix: String,
}
