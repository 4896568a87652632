//! A review of a branch, and verdicts on it.

use serde::{Deserialize, Serialize};

use super::wire::words;
use super::{Author, RecordId, Seq, Timestamp, Via};
use crate::git::CommitId;

/// A branch was put under review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRecord {
    /// Who asked for it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// What it is called.
    pub title: String,
    /// What it is about, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The branch, as a full ref name.
    #[serde(with = "serde_bytes")]
    pub branch: Vec<u8>,
    /// What it is compared with, as a full ref name.
    #[serde(with = "serde_bytes")]
    pub base: Vec<u8>,
    /// Where the comparison began.
    pub base_commit: CommitId,
    /// Where the branch was.
    pub head: CommitId,
}

/// A verdict on a review at one head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRecord {
    /// Who gave it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The review.
    pub review: RecordId,
    /// The head that was reviewed.
    pub head: CommitId,
    /// The verdict.
    pub verdict: Judgement,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The verdicts that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It can go in.
    Approve,
    /// It needs changes.
    Changes,
    /// Neither.
    Comment,
}

words!(Judgement { Approve = "approve", Changes = "changes", Comment = "comment" });

/// Somebody was asked to review, or need not any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// Who asks.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The review.
    pub review: RecordId,
    /// The requests to the same person that this one replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<RecordId>,
    /// The person who is asked, identified by their email.
    pub who: Author,
    /// Whether they are asked.
    pub request: RequestWord,
}

/// Whether somebody is asked to review; of several in force, the lower counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestWord {
    /// They are.
    Asked,
    /// They need not any more.
    Released,
}

words!(RequestWord { Asked = "asked", Released = "released" });
