//! Records that change what another record says: edits, statuses, moves.
//!
//! Each names in `over` the records of its kind that its maker saw in force. Which of them win is
//! for `review` to say.

use serde::{Deserialize, Serialize};

use super::wire::words;
use super::{Anchor, Author, RecordId, Seq, Timestamp};

/// The words of a comment or a review became others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Who changed them.
    pub author: Author,
    /// When, to show.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
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
pub struct Status {
    /// Who did it.
    pub author: Author,
    /// When, to show.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// The thread's first comment, or the review.
    pub of: RecordId,
    /// The statuses that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// What it is now.
    pub status: StatusWord,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a thread or a review can be; the first are the more open ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusWord {
    /// Wants attention.
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

/// A person put a comment elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Who moved it.
    pub author: Author,
    /// When, to show.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// The comment.
    pub of: RecordId,
    /// The moves that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// What it is on now.
    pub anchor: Anchor,
}
