//! What a record says: the typed bodies, and the door they pass on the way in and out.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cbor::{self, NotDeterministic};
use super::{
    Comment, Edit, MAX_ANCHOR_LINES, MAX_BODY_BYTES, MAX_PATH_BYTES, Move, Positions, Purge, Record, Review,
    Signature, Status, Text, VERSION, Verdict,
};
use crate::git::RepoPath;

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "comments are most of all bodies, and a box would be one more allocation"
)]
pub enum Body {
    /// A branch was put under review.
    Review(Review),
    /// Somebody said something.
    Comment(Comment),
    /// Words became others.
    Edit(Edit),
    /// A thread or review was opened, resolved, …
    Status(Status),
    /// A comment was put elsewhere by hand.
    Move(Move),
    /// Somebody judged a review.
    Verdict(Verdict),
    /// Somebody vouches for a record.
    Signature(Signature),
    /// Records are to be shown nowhere any more.
    Purge(Purge),
    /// Where comments are at one head.
    Positions(Positions),
    /// Words found in a note.
    Text(Text),
}

/// Why a record's body is not understood; the record itself is carried along untouched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// A kind from the future.
    #[error("unknown kind {kind}")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
    /// A version from the future.
    #[error("unknown version {version} of kind {kind}")]
    UnknownVersion {
        /// The kind.
        kind: String,
        /// The version.
        version: u8,
    },
    /// Not the deterministic CBOR of a map.
    #[error("the body of this {kind} is not deterministic CBOR")]
    Encoding {
        /// The kind.
        kind: String,
        /// What is wrong with it.
        source: NotDeterministic,
    },
    /// A field is missing or of another type.
    #[error("the body of this {kind} cannot be read: {message}")]
    Fields {
        /// The kind.
        kind: String,
        /// What the decoder says.
        message: String,
    },
}

/// Why a record cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The body is over its bound.
    #[error("this record has {bytes} bytes, more than {MAX_BODY_BYTES}")]
    BodyTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// More lines than an anchor keeps.
    #[error("{lines} lines are more than the {MAX_ANCHOR_LINES} that one comment can be put on")]
    TooManyLines {
        /// How many there are.
        lines: usize,
    },
    /// The path is over its bound.
    #[error("the path {path} has more than {MAX_PATH_BYTES} bytes")]
    PathTooLong {
        /// The path.
        path: RepoPath,
    },
    /// The path holds the bytes that records begin with.
    #[error("the path {path} holds the bytes d9 d9 f7, which mark records")]
    PathHoldsTag {
        /// The path.
        path: RepoPath,
    },
    /// A line was put into an anchor without asking [`Line::new`](super::Line::new).
    #[error("a line that holds the bytes d9 d9 f7, or is too long, is stored as its hash only")]
    LineNotHashed,
    /// The suggestion holds the bytes that records begin with.
    #[error("the suggestion for {path} holds the bytes d9 d9 f7, which mark records")]
    SuggestionHoldsTag {
        /// The file.
        path: RepoPath,
    },
}

impl Record {
    /// Makes the record that says `body`.
    pub fn new(body: &Body) -> Result<Self, RecordError> {
        match body {
            Body::Comment(comment) => comment.check()?,
            Body::Move(moved) => moved.anchor.check()?,
            _ => {}
        }
        let (kind, bytes) = match body {
            Body::Review(body) => ("review", cbor::to_vec(body)),
            Body::Comment(body) => ("comment", cbor::to_vec(body)),
            Body::Edit(body) => ("edit", cbor::to_vec(body)),
            Body::Status(body) => ("status", cbor::to_vec(body)),
            Body::Move(body) => ("move", cbor::to_vec(body)),
            Body::Verdict(body) => ("verdict", cbor::to_vec(body)),
            Body::Signature(body) => ("signature", cbor::to_vec(body)),
            Body::Purge(body) => (Purge::KIND, cbor::to_vec(body)),
            Body::Positions(body) => (Positions::KIND, body.to_bytes()),
            Body::Text(body) => (Text::KIND, cbor::to_vec(body)),
        };
        if bytes.len() > MAX_BODY_BYTES {
            return Err(RecordError::BodyTooLarge { bytes: bytes.len() });
        }
        Ok(Self::seal(kind, &bytes, VERSION))
    }

    /// Reads what the record says.
    ///
    /// Fields that are not known are skipped; they stay in the record's bytes.
    pub fn body(&self) -> Result<Body, BodyError> {
        if self.version() != VERSION {
            return Err(BodyError::UnknownVersion { kind: self.kind().into(), version: self.version() });
        }
        match self.kind() {
            "review" => self.fields().map(Body::Review),
            "comment" => self.fields().map(Body::Comment),
            "edit" => self.fields().map(Body::Edit),
            "status" => self.fields().map(Body::Status),
            "move" => self.fields().map(Body::Move),
            "verdict" => self.fields().map(Body::Verdict),
            "signature" => self.fields().map(Body::Signature),
            Purge::KIND => self.fields().map(Body::Purge),
            Positions::KIND => self.checked(Positions::from_bytes).map(Body::Positions),
            Text::KIND => self.fields().map(Body::Text),
            kind => Err(BodyError::UnknownKind { kind: kind.into() }),
        }
    }

    fn fields<T: DeserializeOwned + Serialize>(&self) -> Result<T, BodyError> {
        self.checked(|bytes| minicbor_serde::from_slice(bytes).map_err(|error| error.to_string()))
    }

    fn checked<T>(&self, read: impl FnOnce(&[u8]) -> Result<T, String>) -> Result<T, BodyError> {
        let kind = || self.kind().to_owned();
        cbor::check_map(self.body_bytes()).map_err(|source| BodyError::Encoding { kind: kind(), source })?;
        read(self.body_bytes()).map_err(|message| BodyError::Fields { kind: kind(), message })
    }
}

impl Purge {
    /// The name of this kind.
    pub const KIND: &str = "purge";
}
