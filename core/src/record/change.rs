//! Records that change another record: edits, statuses, moves.
//!
//! Each names in `over` the records of its kind that were in force for its author. Which of them win is `review`'s
//! work.

use serde::{Deserialize, Serialize};

use super::wire::words;
use super::{Author, CommentAnchor, RecordId, Seq, Timestamp, Via};
use crate::git::CommitId;

/// The text of a comment or a review was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditRecord {
    /// Who changed them.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The comment or review.
    pub of: RecordId,
    /// The edits that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// A comment's new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A review's new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A review's new description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A review's new branch, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub branch: Option<Vec<u8>>,
    /// What a review is now compared with, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub base: Option<Vec<u8>>,
}

/// A thread or a review was opened, resolved, withdrawn, merged or closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusRecord {
    /// Who did it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The thread's first comment, or the review.
    pub of: RecordId,
    /// The statuses that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// The new status.
    pub status: StatusWord,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The commit by which a thread was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CommitId>,
    /// The proposal that this accepts (`resolved`) or declines (`open`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RecordId>,
    /// The source of an import that reports a finding no more (`resolved`) or again (`open`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The status of a thread or a review, from open to closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusWord {
    /// Still to be dealt with.
    Open,
    /// A thread that was dealt with.
    Resolved,
    /// A thread that its author took back.
    Withdrawn,
    /// A review whose branch went into its base.
    Merged,
    /// A review that ended otherwise.
    Closed,
}

words!(StatusWord {
    Open = "open",
    Resolved = "resolved",
    Withdrawn = "withdrawn",
    Merged = "merged",
    Closed = "closed"
});

/// A person moved a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// Who moved it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The comment.
    pub of: RecordId,
    /// The moves that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// Where it is now.
    pub anchor: CommentAnchor,
    /// The proposal that this accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RecordId>,
}
