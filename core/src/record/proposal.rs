//! What an agent or a tool proposes for a thread; a person accepts it or not.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Author, CommentAnchor, RecordError, RecordId, Seq, Timestamp, Via};
use crate::git::CommitId;

/// A thread was dealt with, or is about another place, says whoever made this.
///
/// It changes nothing by itself: a status or a move that names it accepts or declines it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalRecord {
    /// Who proposes it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The thread's first comment.
    pub of: RecordId,
    /// The commit at which the thread was dealt with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<CommitId>,
    /// Whether the comment no longer fits the code of that commit, instead of having been dealt with there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub obsolete: bool,
    /// What the lines were then, if that was not committed: the commit does not have them yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LinesHash>,
    /// Where the comment belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<CommentAnchor>,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The BLAKE3 of lines of a file, each with a newline at its end: what they were, without keeping them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LinesHash([u8; LinesHash::LEN]);

impl LinesHash {
    /// How many bytes it has.
    const LEN: usize = 32;

    /// Of these lines; of nothing, if there are none.
    pub fn of(lines: &[u8]) -> Self {
        Self(blake3::hash(lines).into())
    }

    /// Returns `None` unless there are exactly 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for LinesHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinesHash({})", blake3::Hash::from_bytes(self.0))
    }
}

impl ProposalRecord {
    pub(super) fn check(&self) -> Result<(), RecordError> {
        self.anchor.iter().try_for_each(CommentAnchor::check)?;
        match (self.done, &self.anchor) {
            (None, None) => Err(RecordError::NothingProposed),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, Record};

    /// What a version that does not know `obsolete` reads.
    #[derive(Deserialize)]
    struct OldProposal {
        done: Option<CommitId>,
    }

    #[test]
    fn an_old_reader_takes_what_is_obsolete_for_done_and_the_bytes_of_others_are_as_before() {
        let commit = CommitId::from_hex(b"e83c5163316f89bfbde7d9ab23ca2e25604af290").unwrap();
        let proposal = |obsolete: bool| ProposalRecord {
            author: Author { name: "helper".into(), email: "h@agent.invalid".into() },
            at: Timestamp(1),
            seq: Seq::default(),
            via: None,
            of: RecordId::from_hex("0e471154af8186e902e926c45aa3a38b").unwrap(),
            done: Some(commit),
            obsolete,
            lines: None,
            anchor: None,
            text: String::new(),
        };
        let body =
            |obsolete: bool| Record::new(&Body::Proposal(proposal(obsolete))).unwrap().body_bytes().to_vec();
        let old: OldProposal = ciborium::from_reader(&body(true)[..]).unwrap();
        assert_eq!(old.done, Some(commit));
        assert!(!body(false).windows(8).any(|bytes| bytes == b"obsolete"));
    }
}
