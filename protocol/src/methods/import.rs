//! Import of comments and findings from other tools.
//!
//! The request contains files in formats of other tools, which the service parses, or comments as data.

use serde::{Deserialize, Serialize};

use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::place::Place;
use crate::views::proposal::MessageView;
use crate::views::review::{ReviewStatus, Verdict};
use crate::views::severity::SeverityView;
use crate::views::thread::Person;
use crate::wire::bytes::{ByteText, Hex};

/// Maximum number of comments in one request.
pub const MAX_IMPORT: usize = 10_000;

/// Imports comments and findings of other tools, as one notes commit.
///
/// Entries that were imported before, recognized by source and id, are not added again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Import {
    /// The sources whose report is complete: earlier findings that are not in it no longer exist.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Whether to resolve threads that are no longer reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retire: bool,
    /// The reviews that the comments belong to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ImportedReview>,
    /// The comments; each comes before its replies.
    #[serde(default)]
    pub comments: Vec<ImportedComment>,
    /// Files of other tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ImportedFile>,
    /// Whether to import the notes of git-appraise in this repository.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub appraise: bool,
}

/// A file of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedFile {
    /// The format of the file.
    pub format: ImportFormat,
    /// Its name, for messages.
    pub name: String,
    /// Its content.
    pub content: ByteText,
    /// The source file that a `.comments` file belongs to, relative to the root of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<ByteText>,
}

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ImportFormat {
    /// `.comments` files, version 1.0 or 2.0.
    Comments,
    /// SARIF 2.1.0.
    Sarif,
    /// Reviewdog, one object.
    Rdjson,
    /// Reviewdog, one object a line.
    Rdjsonl,
    /// Lines of JSON that postil exported.
    Json,
}

/// A review from another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedReview {
    /// Its name in its source, which comments in the same request refer to.
    pub id: String,
    /// Who started it.
    pub author: Person,
    /// When, in milliseconds since 1970; if left out, when its head was committed.
    pub at: Option<u64>,
    /// Its title.
    pub title: String,
    /// Its description, in Markdown.
    pub description: String,
    /// The branch, as a full ref name.
    pub branch: ByteText,
    /// The base, as a full ref name.
    pub base: ByteText,
    /// The commit where the comparison starts; if left out, the parent of its head.
    pub base_commit: Option<String>,
    /// The commit under review.
    pub head: String,
    /// Its status; if left out, it is merged if its head is in its base.
    pub status: Option<ReviewStatus>,
}

/// A comment from another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedComment {
    /// The tool, file or system that it comes from.
    pub source: String,
    /// Its id in its source, which is the same in every report.
    pub id: String,
    /// Who wrote it.
    pub author: Person,
    /// When, in milliseconds since 1970; if left out, when the checked-out commit was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// When its text was last changed, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<u64>,
    /// The comment of the same source that it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The review in this request that it belongs to; if left out, the review of the branch, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// What it is on; if left out, the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The commit's message that it is on, as it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageView>,
    /// The unit of the columns of the place.
    #[serde(default)]
    pub columns: ColumnUnit,
    /// The text that the source expects there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// The text, in Markdown.
    pub text: String,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The verdict on the review; with it, this is a verdict and not a comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Who resolved the thread, if it is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ImportedResolution>,
    /// Whether it is from an export of comments, which is not a new report and so reopens nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
}

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ColumnUnit {
    /// Bytes.
    #[default]
    Bytes,
    /// UTF-16 code units.
    Utf16,
    /// Unicode characters.
    Characters,
}

/// The expected text at a place; if another text is there, this one is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Expected {
    /// The first line of the place, without white space around it.
    pub line: String,
    /// The line before it, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The line after it, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether `line` is only a part of the line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part: bool,
}

/// Who resolved a thread in the other tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedResolution {
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970; if left out, when the comment was made.
    pub at: Option<u64>,
    /// Why.
    pub reason: Option<String>,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportReply {
    /// The new comments.
    pub added: Vec<Hex>,
    /// How many were imported before.
    pub known: u32,
    /// How many have a new text.
    pub changed: u32,
    /// How many reviews and verdicts are new.
    pub reviews: u32,
    /// Threads that were resolved because their source no longer reports them.
    pub retired: Vec<Hex>,
    /// Threads that had been retired and are reported again.
    pub reopened: Vec<Hex>,
    /// How many of the new comments are not where their source says, because the text differs.
    pub displaced: u32,
    /// Entries that were not imported, and why.
    pub refused: Vec<RefusedView>,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// An entry that was not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RefusedView {
    /// Its id in its source, or its number there.
    pub id: String,
    /// Why not.
    pub reason: String,
}
