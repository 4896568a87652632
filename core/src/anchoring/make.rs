//! Makes an anchor out of what a person points at.
//!
//! Every client uses this, so that an anchor never depends on who made it.

use crate::edit::Text;
use crate::git::{BlobId, CommitId, RepoPath};
use crate::record::{Anchor, CONTEXT_LINES, Line, MAX_ANCHOR_LINES, MAX_LINE_BYTES, Range, Side};

use super::region::Region;
use super::scope;

/// The tag that begins a record; stored content must not hold it.
const RECORD_TAG: &[u8] = &[0xd9, 0xd9, 0xf7];

/// What a person points at.
#[derive(Clone, Debug)]
pub struct Pointed<'a> {
    /// The commit that is looked at; `None` for text that is not committed.
    pub commit: Option<CommitId>,
    /// The path of the file.
    pub path: &'a RepoPath,
    /// The file's content, by name.
    pub blob: BlobId,
    /// The file's content.
    pub content: &'a [u8],
    /// The lines; `None` for the whole file.
    pub range: Option<Range>,
}

/// Why something cannot be commented on.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AnchorError {
    /// The range names lines or columns that do not exist.
    #[error("{path} has no such lines: it has {lines}")]
    OutOfFile {
        /// The file.
        path: RepoPath,
        /// How many lines it has.
        lines: u32,
    },
    /// Binary content has no lines; the file as a whole can be commented on.
    #[error("{path} is binary, and only the whole file can be commented on")]
    Binary {
        /// The file.
        path: RepoPath,
    },
    /// More than [`MAX_ANCHOR_LINES`] lines.
    #[error("{count} lines are too many for one comment")]
    TooMany {
        /// How many were pointed at.
        count: u32,
    },
}

/// Makes the anchor of what a person points at, on the side `new`.
///
/// Fails if there is no such place; never reads anything but its argument.
pub fn anchor_at(pointed: &Pointed<'_>) -> Result<Anchor, AnchorError> {
    let mut anchor = Anchor {
        commit: pointed.commit,
        path: pointed.path.clone(),
        blob: Some(pointed.blob),
        side: Side::New,
        range: pointed.range,
        lines: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    };
    let Some(range) = pointed.range else { return Ok(anchor) };
    if super::bypass::is_binary(pointed.content) {
        return Err(AnchorError::Binary { path: pointed.path.clone() });
    }
    let text = Text::new(pointed.content);
    let region = Region::from_range(range);
    if !region.fits(&text) {
        return Err(AnchorError::OutOfFile { path: pointed.path.clone(), lines: text.len() });
    }
    if region.count() as usize > MAX_ANCHOR_LINES {
        return Err(AnchorError::TooMany { count: region.count() });
    }
    let lines = |lines: std::ops::Range<u32>| lines.map(|line| stored(text.line(line))).collect();
    let context = CONTEXT_LINES as u32;
    anchor.lines = lines(region.first..region.last + 1);
    anchor.before = lines(region.first.saturating_sub(context)..region.first);
    anchor.after = lines(region.last + 1..text.len().min(region.last + 1 + context));
    anchor.scope =
        scope::scope(&text, region.first).into_iter().map(|line| stored(text.line(line))).collect();
    Ok(anchor)
}

/// A line as a record holds it.
pub(super) fn stored(line: &[u8]) -> Line {
    if line.len() > MAX_LINE_BYTES || memchr::memmem::find(line, RECORD_TAG).is_some() {
        Line::Hash(*blake3::hash(line).as_bytes())
    } else {
        Line::Text(line.to_vec())
    }
}
