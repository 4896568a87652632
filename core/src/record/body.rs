//! The bodies of records, by kind, and the checks when one is written or read.

use serde::de::DeserializeOwned;

use super::cbor::{self, NotDeterministic};
use super::tag::could_hide_a_record;
use super::{
    Author, CONTEXT_LINES, CommentAnchor, CommentRecord, EditRecord, LeftoverRecord, MAX_ANCHOR_LINES,
    MAX_BODY_BYTES, MAX_PATH_BYTES, MAX_VIA_BYTES, MoveRecord, PositionsRecord, ProposalRecord, PurgeRecord,
    Record, RequestRecord, ReviewRecord, SignatureRecord, StatusRecord, TextRecord, Timestamp, VERSION,
    VERSION_WITH_MESSAGE, VerdictRecord, Via,
};
use crate::git::RepoPath;

/// The body of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "comments are most of all bodies, and a box would be one more allocation"
)]
pub enum Body {
    /// A branch was put under review.
    Review(ReviewRecord),
    /// Somebody wrote a comment.
    Comment(CommentRecord),
    /// A text was edited.
    Edit(EditRecord),
    /// A thread or review was opened, resolved, …
    Status(StatusRecord),
    /// A comment was moved by hand.
    Move(MoveRecord),
    /// Somebody gave a verdict on a review.
    Verdict(VerdictRecord),
    /// Somebody proposes something for a thread.
    Proposal(ProposalRecord),
    /// Somebody was asked to review.
    Request(RequestRecord),
    /// Somebody signed a record.
    Signature(SignatureRecord),
    /// Records that are to be hidden everywhere.
    Purge(PurgeRecord),
    /// Where comments are at one head.
    Positions(PositionsRecord),
    /// Text of other programs, found in a note.
    Text(TextRecord),
    /// Bytes of a note that were not parsed.
    Leftover(LeftoverRecord),
}

/// Why a record's body is not understood; the record itself is carried along untouched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// A kind of a later version.
    #[error("unknown kind of record: {kind}")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
    /// A later version of the format.
    #[error("unknown version of {kind}: {version}")]
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
        /// What the decoder reported.
        message: String,
    },
}

/// Why a record cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The body is over its bound.
    #[error("the record is too large: {bytes} bytes; the limit is {MAX_BODY_BYTES}")]
    BodyTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// More lines than an anchor keeps.
    #[error("too many lines for one comment: {lines}; the limit is {MAX_ANCHOR_LINES}")]
    TooManyLines {
        /// How many there are.
        lines: usize,
    },
    /// More context than an anchor keeps.
    #[error("too many lines of context: {lines}; the limit is {CONTEXT_LINES}")]
    TooMuchContext {
        /// How many there are.
        lines: usize,
    },
    /// The path is over its bound.
    #[error("the path {path} is too long; the limit is {MAX_PATH_BYTES} bytes")]
    PathTooLong {
        /// The path.
        path: RepoPath,
    },
    /// The path contains the bytes that records begin with.
    #[error("the path {path} contains the bytes d9 d9 f7, which are reserved")]
    PathHoldsTag {
        /// The path.
        path: RepoPath,
    },
    /// A line of an anchor was not made by [`Line::new`](super::Line::new).
    #[error("a line that contains the bytes d9 d9 f7 or is too long must be stored as a hash")]
    LineNotHashed,
    /// The suggestion contains the bytes that records begin with.
    #[error("the suggestion for {path} contains the bytes d9 d9 f7, which are reserved")]
    SuggestionHoldsTag {
        /// The file.
        path: RepoPath,
    },
    /// A program without a name.
    #[error("the program that writes has no name")]
    ViaWithoutProgram,
    /// What a program says of itself is over its bound.
    #[error("the {field} of the program that writes has more than {MAX_VIA_BYTES} bytes")]
    ViaTooLong {
        /// Which part of it.
        field: &'static str,
    },
    /// A proposal without a commit or a place.
    #[error("nothing is proposed: neither a commit nor a place")]
    NothingProposed,
    /// Another byte string contains the bytes that records begin with.
    #[error("the {field} contains the bytes d9 d9 f7, which are reserved")]
    FieldHoldsTag {
        /// The field.
        field: &'static str,
    },
}

impl Record {
    /// Makes the record with this body.
    pub fn new(body: &Body) -> Result<Self, RecordError> {
        body.check()?;
        let (kind, bytes) = match body {
            Body::Review(body) => ("review", cbor::to_vec(body)),
            Body::Comment(body) => ("comment", cbor::to_vec(body)),
            Body::Edit(body) => ("edit", cbor::to_vec(body)),
            Body::Status(body) => ("status", cbor::to_vec(body)),
            Body::Move(body) => ("move", cbor::to_vec(body)),
            Body::Verdict(body) => ("verdict", cbor::to_vec(body)),
            Body::Proposal(body) => ("proposal", cbor::to_vec(body)),
            Body::Request(body) => ("request", cbor::to_vec(body)),
            Body::Signature(body) => ("signature", cbor::to_vec(body)),
            Body::Purge(body) => (PurgeRecord::KIND, cbor::to_vec(body)),
            Body::Positions(body) => (PositionsRecord::KIND, body.to_bytes()),
            Body::Text(body) => (TextRecord::KIND, cbor::to_vec(body)),
            Body::Leftover(body) => (LeftoverRecord::KIND, cbor::to_vec(body)),
        };
        if bytes.len() > MAX_BODY_BYTES {
            return Err(RecordError::BodyTooLarge { bytes: bytes.len() });
        }
        Ok(Self::seal(kind, &bytes, body.version()))
    }

    /// Reads the body.
    ///
    /// Fields that are not known are skipped; they stay in the record's bytes.
    pub fn body(&self) -> Result<Body, BodyError> {
        let unknown = || BodyError::UnknownVersion { kind: self.kind().into(), version: self.version() };
        if !matches!(self.version(), VERSION | VERSION_WITH_MESSAGE) {
            return Err(unknown());
        }
        let body = match self.kind() {
            "review" => self.fields().map(Body::Review),
            "comment" => self.fields().map(Body::Comment),
            "edit" => self.fields().map(Body::Edit),
            "status" => self.fields().map(Body::Status),
            "move" => self.fields().map(Body::Move),
            "verdict" => self.fields().map(Body::Verdict),
            "proposal" => self.fields().map(Body::Proposal),
            "request" => self.fields().map(Body::Request),
            "signature" => self.fields().map(Body::Signature),
            PurgeRecord::KIND => self.fields().map(Body::Purge),
            PositionsRecord::KIND => self.checked(PositionsRecord::from_bytes).map(Body::Positions),
            TextRecord::KIND => self.fields().map(Body::Text),
            LeftoverRecord::KIND => self.fields().map(Body::Leftover),
            kind => return Err(BodyError::UnknownKind { kind: kind.into() }),
        };
        // Every body has one version, so that all readers agree on who understands it.
        match body {
            Ok(body) if body.version() == self.version() => Ok(body),
            Err(error) if self.version() == VERSION => Err(error),
            _ => Err(unknown()),
        }
    }

    fn fields<T: DeserializeOwned>(&self) -> Result<T, BodyError> {
        self.checked(|bytes| minicbor_serde::from_slice(bytes).map_err(|error| error.to_string()))
    }

    fn checked<T>(&self, read: impl FnOnce(&[u8]) -> Result<T, String>) -> Result<T, BodyError> {
        let kind = || self.kind().to_owned();
        cbor::check_map(self.body_bytes()).map_err(|source| BodyError::Encoding { kind: kind(), source })?;
        read(self.body_bytes()).map_err(|message| BodyError::Fields { kind: kind(), message })
    }
}

impl Body {
    /// Returns who made it and when, if a person did.
    pub fn made_by(&self) -> Option<(&Author, Timestamp)> {
        Some(match self {
            Self::Review(review) => (&review.author, review.at),
            Self::Comment(comment) => (&comment.author, comment.at),
            Self::Edit(edit) => (&edit.author, edit.at),
            Self::Status(status) => (&status.author, status.at),
            Self::Move(moved) => (&moved.author, moved.at),
            Self::Verdict(verdict) => (&verdict.author, verdict.at),
            Self::Proposal(proposal) => (&proposal.author, proposal.at),
            Self::Request(request) => (&request.author, request.at),
            Self::Purge(purge) => (&purge.author, purge.at),
            Self::Signature(_) | Self::Positions(_) | Self::Text(_) | Self::Leftover(_) => return None,
        })
    }

    /// Returns what wrote it, if not a person by hand.
    pub fn via(&self) -> Option<&Via> {
        match self {
            Self::Review(review) => review.via.as_deref(),
            Self::Comment(comment) => comment.via.as_deref(),
            Self::Edit(edit) => edit.via.as_deref(),
            Self::Status(status) => status.via.as_deref(),
            Self::Move(moved) => moved.via.as_deref(),
            Self::Verdict(verdict) => verdict.via.as_deref(),
            Self::Proposal(proposal) => proposal.via.as_deref(),
            Self::Request(request) => request.via.as_deref(),
            Self::Purge(purge) => purge.via.as_deref(),
            Self::Signature(_) | Self::Positions(_) | Self::Text(_) | Self::Leftover(_) => None,
        }
    }

    /// The version that a record of it has.
    fn version(&self) -> u8 {
        let anchor = match self {
            Self::Comment(comment) => comment.anchor.as_ref(),
            Self::Move(moved) => Some(&moved.anchor),
            Self::Proposal(proposal) => proposal.anchor.as_ref(),
            _ => None,
        };
        match anchor {
            Some(CommentAnchor::Message(_)) => VERSION_WITH_MESSAGE,
            Some(CommentAnchor::File(_)) | None => VERSION,
        }
    }

    /// Checks that readers can handle it, and that no record can hide in a byte string.
    fn check(&self) -> Result<(), RecordError> {
        self.via().map_or(Ok(()), Via::check)?;
        match self {
            Self::Comment(comment) => comment.check(),
            Self::Proposal(proposal) => proposal.check(),
            Self::Move(moved) => moved.anchor.check(),
            Self::Review(review) => {
                check_bytes("branch", Some(&review.branch))?;
                check_bytes("base", Some(&review.base))
            }
            Self::Edit(edit) => {
                check_bytes("branch", edit.branch.as_ref())?;
                check_bytes("base", edit.base.as_ref())
            }
            Self::Signature(signature) => check_bytes("signature", Some(&signature.signature)),
            Self::Text(text) => check_bytes("text", Some(&text.text)),
            // The rest holds ids, numbers, UTF-8 and what was checked or escaped before.
            Self::Status(_)
            | Self::Verdict(_)
            | Self::Request(_)
            | Self::Purge(_)
            | Self::Positions(_)
            | Self::Leftover(_) => Ok(()),
        }
    }
}

fn check_bytes(field: &'static str, bytes: Option<&Vec<u8>>) -> Result<(), RecordError> {
    match bytes {
        Some(bytes) if could_hide_a_record(bytes) => Err(RecordError::FieldHoldsTag { field }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{CommitId, RepoPath};
    use crate::record::{PositionEntry, PositionState, RecordId, Seq, SignatureFormat};

    fn hiding() -> [Vec<u8>; 3] {
        [b"refs/heads/\xd9\xd9\xf7\x84P".to_vec(), b"\xd9\xf7\x84P".to_vec(), b"\xf7\x84P".to_vec()]
    }

    fn edit(branch: Vec<u8>) -> EditRecord {
        EditRecord {
            author: Author { name: "A".into(), email: "a@example.org".into() },
            at: Timestamp(1),
            seq: Seq::default(),
            via: None,
            of: RecordId::from_array([1; 16]),
            over: Vec::new(),
            text: None,
            title: None,
            description: None,
            branch: Some(branch),
            base: None,
        }
    }

    #[test]
    fn no_record_hides_in_the_name_of_a_branch() {
        assert!(Record::new(&Body::Edit(edit(b"refs/heads/\xd9\xd9".to_vec()))).is_ok());
        for name in hiding() {
            let refused = Err(RecordError::FieldHoldsTag { field: "branch" });
            assert_eq!(Record::new(&Body::Edit(edit(name.clone()))), refused);
            let EditRecord { author, at, seq, .. } = edit(Vec::new());
            let commit = CommitId::from_bytes(&[1; 20]).unwrap();
            let (title, description) = (String::new(), String::new());
            let base = b"refs/heads/main".to_vec();
            let review = ReviewRecord {
                author,
                at,
                seq,
                via: None,
                title,
                description,
                branch: name,
                base,
                base_commit: commit,
                head: commit,
            };
            assert_eq!(Record::new(&Body::Review(review)), refused);
        }
    }

    #[test]
    fn no_record_hides_in_a_signature() {
        for signature in hiding() {
            let format = SignatureFormat::Ssh;
            let signature = SignatureRecord { of: RecordId::from_array([1; 16]), format, signature };
            let refused = Err(RecordError::FieldHoldsTag { field: "signature" });
            assert_eq!(Record::new(&Body::Signature(signature)), refused);
        }
    }

    #[test]
    fn no_record_hides_in_the_path_of_a_position() {
        for path in hiding() {
            let path = RepoPath::new(path).unwrap();
            let range = crate::record::Range::lines(crate::record::LineSpan::from_numbers(1, 1).unwrap());
            let candidate = crate::record::Candidate { path: path.clone(), range, confidence: 1 };
            let nowhere = PositionEntry::orphaned(RecordId::from_array([1; 16]));
            let placed =
                PositionEntry { path: Some(path), state: PositionState::Anchored, ..nowhere.clone() };
            assert_eq!(placed.to_raw(), nowhere.to_raw());
            let offered = PositionEntry { candidates: vec![candidate], ..nowhere.clone() };
            assert_eq!(offered.to_raw(), nowhere.to_raw());
        }
    }
}
