//! What an agent or a tool proposes for a thread; a person accepts it or not.

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
    /// Where the comment belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<CommentAnchor>,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
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
