//! A comment, with the change it may suggest.

use serde::{Deserialize, Serialize};

use super::anchor::check_path;
use super::tag::could_hide_a_record;
use super::{Author, CommentAnchor, RecordError, RecordId, Seq, Timestamp, Via};
use crate::git::{BlobId, RepoPath};

/// A comment on lines, a file or a review, or a reply to another comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentRecord {
    /// Who wrote it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the thread.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The review it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<RecordId>,
    /// The comment it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RecordId>,
    /// What it is about; `None`: the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<CommentAnchor>,
    /// The text, in Markdown.
    pub text: String,
    /// How important it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Tags, for searching.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The change it proposes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestion: Vec<SuggestedFile>,
}

impl CommentRecord {
    pub(super) fn check(&self) -> Result<(), RecordError> {
        self.anchor.iter().try_for_each(CommentAnchor::check)?;
        self.suggestion.iter().try_for_each(SuggestedFile::check)
    }
}

/// How important a comment is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Severity {
    /// For information.
    Note,
    /// A matter of taste.
    Nit,
    /// Something to fix.
    Issue,
    /// Must be fixed before the change goes in.
    Blocker,
    /// Well done.
    Praise,
    /// A question that needs an answer.
    Question,
    /// A severity of a later version.
    Other(String),
}

impl From<String> for Severity {
    fn from(word: String) -> Self {
        match word.as_str() {
            "note" => Self::Note,
            "nit" => Self::Nit,
            "issue" => Self::Issue,
            "blocker" => Self::Blocker,
            "praise" => Self::Praise,
            "question" => Self::Question,
            _ => Self::Other(word),
        }
    }
}

impl From<Severity> for String {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => "note",
            Severity::Nit => "nit",
            Severity::Issue => "issue",
            Severity::Blocker => "blocker",
            Severity::Praise => "praise",
            Severity::Question => "question",
            Severity::Other(word) => return word,
        }
        .into()
    }
}

/// What a suggestion does to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedFile {
    /// The file.
    pub path: RepoPath,
    /// The content that the edits are against; `None`: the file is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// Where the file goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_path: Option<RepoPath>,
    /// The mode it gets, as in a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Whether the file goes away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
    /// Replacements, sorted and apart from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<SuggestedEdit>,
}

impl SuggestedFile {
    fn check(&self) -> Result<(), RecordError> {
        [Some(&self.path), self.new_path.as_ref()].into_iter().flatten().try_for_each(check_path)?;
        // A replacement cannot be kept as a hash, so one that could hide a record is refused.
        match self.edits.iter().find(|edit| could_hide_a_record(&edit.text)) {
            Some(_) => Err(RecordError::SuggestionHoldsTag { path: self.path.clone() }),
            None => Ok(()),
        }
    }
}

/// One replacement: the bytes from `start` up to `end` of the blob become `text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedEdit {
    /// The first byte that goes.
    pub start: u64,
    /// The first byte after it that stays.
    pub end: u64,
    /// What comes instead.
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
}
