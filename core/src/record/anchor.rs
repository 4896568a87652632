//! What a comment is on, as the reviewer saw it.
//!
//! It is on a file, or on the message of a commit; records with the latter have
//! [`VERSION_WITH_MESSAGE`](super::VERSION_WITH_MESSAGE). An anchor never changes. Where it is now is a position, and finding that is `anchoring`'s work.

use serde::{Deserialize, Serialize};

use super::tag::could_hide_a_record;
use super::wire::words;
use super::{CONTEXT_LINES, MAX_ANCHOR_LINES, MAX_LINE_BYTES, MAX_PATH_BYTES, Range, RecordError};
use crate::git::{BlobId, CommitId, RepoPath};

/// The part of a file that a comment is on, as the reviewer saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The commit that the reviewer saw; `None` for text that was not committed.
    pub commit: Option<CommitId>,
    /// The path of the file there.
    pub path: RepoPath,
    /// The file's content; `None` if the change deleted the file.
    pub blob: Option<BlobId>,
    /// Whether `range` counts lines of the head or of the base.
    pub side: AnchorSide,
    /// The commented lines; `None` for the whole file.
    pub range: Option<Range>,
    /// The commented lines' text.
    pub lines: Vec<Line>,
    /// Up to [`CONTEXT_LINES`] lines before them, in the file's order.
    pub before: Vec<Line>,
    /// Up to [`CONTEXT_LINES`] lines after them.
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
pub enum AnchorSide {
    /// Lines of the head.
    New,
    /// Lines of the base that the change deleted.
    Old(OldSide),
}

/// The base that a comment on deleted lines was made against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldSide {
    /// The base commit.
    pub commit: CommitId,
    /// The file's content there.
    pub blob: BlobId,
    /// Its path there, if it is not the anchor's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// Words of a rendered document, with the text around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The words themselves.
    pub exact: String,
    /// The text before them.
    pub prefix: String,
    /// The text after them.
    pub suffix: String,
}

impl Line {
    /// Keeps `bytes`, or only their BLAKE3 if they cannot be stored in a record.
    ///
    /// They cannot if they are too long or contain the record tag: a quoted line must never be taken for a record.
    pub fn new(bytes: &[u8]) -> Self {
        if bytes.len() > MAX_LINE_BYTES || could_hide_a_record(bytes) {
            Self::Hash(blake3::hash(bytes).into())
        } else {
            Self::Text(bytes.to_vec())
        }
    }

    /// Whether `bytes` are this line.
    pub fn is(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Text(text) => text == bytes,
            Self::Hash(hash) => blake3::hash(bytes).as_bytes() == hash,
        }
    }

    /// What is left of it without blanks; of a line that is known by its hash only, the hash.
    pub fn without_blanks(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect(),
            Self::Hash(hash) => hash.to_vec(),
        }
    }
}

impl Anchor {
    /// Returns the blobs that are needed to find it again, each with the commit that it was seen in, if it was
    /// committed.
    ///
    /// They have to be kept with the anchor. A comment on deleted lines needs its file on both sides: the base to
    /// start from, and the head to know which of the lines were deleted.
    pub fn blobs(&self) -> impl Iterator<Item = (BlobId, Option<CommitId>)> {
        let base = match &self.side {
            AnchorSide::Old(old) => Some((old.blob, Some(old.commit))),
            AnchorSide::New => None,
        };
        base.into_iter().chain(self.blob.map(|blob| (blob, self.commit)))
    }

    /// Checks that readers can handle it.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        let base_path = match &self.side {
            AnchorSide::Old(old) => old.path.as_ref(),
            AnchorSide::New => None,
        };
        for path in [Some(&self.path), base_path].into_iter().flatten() {
            check_path(path)?;
        }
        check_lines(&self.lines, &self.before, &self.after, &self.scope)
    }
}

/// Checks the lines of an anchor before they are stored.
fn check_lines(lines: &[Line], before: &[Line], after: &[Line], scope: &[Line]) -> Result<(), RecordError> {
    if lines.len() > MAX_ANCHOR_LINES {
        return Err(RecordError::TooManyLines { lines: lines.len() });
    }
    let context = before.len().max(after.len());
    if context > CONTEXT_LINES {
        return Err(RecordError::TooMuchContext { lines: context });
    }
    match [lines, before, after, scope].into_iter().flatten().find(|line| !line.is_sound()) {
        Some(_) => Err(RecordError::LineNotHashed),
        None => Ok(()),
    }
}

impl Line {
    fn is_sound(&self) -> bool {
        match self {
            Self::Text(bytes) => matches!(Self::new(bytes), Self::Text(_)),
            Self::Hash(_) => true,
        }
    }
}

/// Lines of a commit's message, as the reviewer saw them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageAnchor {
    /// The commit.
    pub commit: CommitId,
    /// The commented lines of its message, the subject being the first; `None` for the whole message.
    pub range: Option<Range>,
    /// The commented lines' text.
    pub lines: Vec<Line>,
    /// Up to [`CONTEXT_LINES`] lines before them.
    pub before: Vec<Line>,
    /// As many after them.
    pub after: Vec<Line>,
}

/// What a comment is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "AnchorCbor", try_from = "AnchorCbor")]
#[allow(clippy::large_enum_variant, reason = "nearly all anchors are on files")]
pub enum CommentAnchor {
    /// Lines of a file, or the whole file.
    File(Anchor),
    /// The message of a commit.
    Message(MessageAnchor),
}

impl CommentAnchor {
    /// The anchor on a file.
    pub fn file(&self) -> Option<&Anchor> {
        match self {
            Self::File(anchor) => Some(anchor),
            Self::Message(_) => None,
        }
    }

    /// The anchor on a message.
    pub fn message(&self) -> Option<&MessageAnchor> {
        match self {
            Self::File(_) => None,
            Self::Message(anchor) => Some(anchor),
        }
    }

    /// The commit that the reviewer saw; `None` for text that was not committed.
    pub fn commit(&self) -> Option<CommitId> {
        match self {
            Self::File(anchor) => anchor.commit,
            Self::Message(anchor) => Some(anchor.commit),
        }
    }

    pub(super) fn check(&self) -> Result<(), RecordError> {
        match self {
            Self::File(anchor) => anchor.check(),
            Self::Message(anchor) => check_lines(&anchor.lines, &anchor.before, &anchor.after, &[]),
        }
    }
}

impl From<Anchor> for CommentAnchor {
    fn from(anchor: Anchor) -> Self {
        Self::File(anchor)
    }
}

/// Checks a path before it is stored.
pub(super) fn check_path(path: &RepoPath) -> Result<(), RecordError> {
    let bytes = path.as_bytes();
    if bytes.len() > MAX_PATH_BYTES {
        return Err(RecordError::PathTooLong { path: path.clone() });
    }
    if could_hide_a_record(bytes) {
        return Err(RecordError::PathHoldsTag { path: path.clone() });
    }
    Ok(())
}

/// An anchor of either form, as it is in CBOR: one on a message has `message`, and no `path` or `side`.
#[derive(Clone, Default, Serialize, Deserialize)]
struct AnchorCbor {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<CommitId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<RepoPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<AnchorSideName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<OldSide>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<BlobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<CommitId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<Line>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<Line>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scope: Vec<Line>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<Quote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headings: Vec<String>,
}

#[derive(Clone, Copy)]
enum AnchorSideName {
    New,
    Old,
}

words!(AnchorSideName { New = "new", Old = "old" });

impl From<CommentAnchor> for AnchorCbor {
    fn from(anchor: CommentAnchor) -> Self {
        match anchor {
            CommentAnchor::File(anchor) => Self::of_file(anchor),
            CommentAnchor::Message(MessageAnchor { commit, range, lines, before, after }) => {
                Self { message: Some(commit), range, lines, before, after, ..Self::default() }
            }
        }
    }
}

impl TryFrom<AnchorCbor> for CommentAnchor {
    type Error = &'static str;

    fn try_from(form: AnchorCbor) -> Result<Self, Self::Error> {
        match form.message {
            None => form.into_file().map(Self::File),
            Some(commit) if form.path.is_none() && form.side.is_none() => {
                let AnchorCbor { range, lines, before, after, .. } = form;
                Ok(Self::Message(MessageAnchor { commit, range, lines, before, after }))
            }
            Some(_) => Err("an anchor on both a message and a file"),
        }
    }
}

impl AnchorCbor {
    fn of_file(anchor: Anchor) -> Self {
        let (side, base) = match anchor.side {
            AnchorSide::New => (AnchorSideName::New, None),
            AnchorSide::Old(old) => (AnchorSideName::Old, Some(old)),
        };
        Self {
            message: None,
            path: Some(anchor.path),
            side: Some(side),
            base,
            blob: anchor.blob,
            commit: anchor.commit,
            range: anchor.range,
            lines: anchor.lines,
            before: anchor.before,
            after: anchor.after,
            scope: anchor.scope,
            quote: anchor.quote,
            headings: anchor.headings,
        }
    }

    fn into_file(self) -> Result<Anchor, &'static str> {
        let side = match (self.side, self.base) {
            (Some(AnchorSideName::New), _) => AnchorSide::New,
            (Some(AnchorSideName::Old), Some(old)) => AnchorSide::Old(old),
            (Some(AnchorSideName::Old), None) => return Err("an anchor on the old side without a base"),
            (None, _) => return Err("an anchor without a side"),
        };
        Ok(Anchor {
            commit: self.commit,
            path: self.path.ok_or("an anchor without a path")?,
            blob: self.blob,
            side,
            range: self.range,
            lines: self.lines,
            before: self.before,
            after: self.after,
            quote: self.quote,
            headings: self.headings,
            scope: self.scope,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_could_hide_a_record_is_hashed() {
        let hashed = |bytes: &[u8]| matches!(Line::new(bytes), Line::Hash(_));
        assert!(!hashed(b"let x = 1;"));
        assert!(hashed(b"quoted: \xd9\xd9\xf7\x84"));
        assert!(hashed(b"\xd9\xf7\x84"));
        assert!(hashed(&[b'x'; MAX_LINE_BYTES + 1]));
        assert!(!hashed(&[b'x'; MAX_LINE_BYTES]));
    }

    #[test]
    fn a_hashed_line_still_knows_its_text() {
        let long = vec![b'x'; MAX_LINE_BYTES + 1];
        assert!(Line::new(&long).is(&long));
        assert!(!Line::new(&long).is(&long[1..]));
    }
}
