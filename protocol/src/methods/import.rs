//! What was written with other tools, on its way into the notes: findings of tools, comments of other systems.
//!
//! As files in formats of other tools, which the service reads, or as data, for programs that know what they hold.

use serde::{Deserialize, Serialize};

use crate::views::mark::Mark;
use crate::views::place::Place;
use crate::views::review::{ReviewStatus, Verdict};
use crate::views::severity::SeverityView;
use crate::views::thread::Person;
use crate::wire::bytes::{ByteText, Hex};

/// The most comments of one request; what is over it is refused.
pub const MAX_IMPORT: usize = 10_000;

/// Imports what was written with other tools, as one notes commit.
///
/// What is here already, by its source and its name there, is not added again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Import {
    /// The sources whose report is complete: what else they once reported is gone.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Whether to resolve what has vanished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retire: bool,
    /// Reviews that comments belong to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ImportedReview>,
    /// Comments, parents before their answers.
    #[serde(default)]
    pub comments: Vec<ImportedComment>,
    /// Files of other tools, which are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ImportedFile>,
    /// Whether the notes of git-appraise in this repository are read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub appraise: bool,
}

/// A file of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedFile {
    /// What it is.
    pub format: ImportFormat,
    /// What a person calls it, for errors.
    pub name: String,
    /// What it holds.
    pub content: ByteText,
    /// The source file that it is named after, from the root of the repository; only `.comments` files are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<ByteText>,
}

/// A format that is read.
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

/// A review of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedReview {
    /// Its name there, by which comments of the same request name it.
    pub id: String,
    /// Who asked for it.
    pub author: Person,
    /// When, in milliseconds since 1970; `None`: when its head was committed.
    pub at: Option<u64>,
    /// What it is called.
    pub title: String,
    /// What it is about, in Markdown.
    pub description: String,
    /// The branch, as a full ref name.
    pub branch: ByteText,
    /// What it is compared with, as a full ref name.
    pub base: ByteText,
    /// The commit where the comparison began; `None`: the parent of its head.
    pub base_commit: Option<String>,
    /// The commit under review.
    pub head: String,
    /// What became of it; `None`: merged if its head is in its base by now.
    pub status: Option<ReviewStatus>,
}

/// A comment of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedComment {
    /// The tool, file or system that it comes from.
    pub source: String,
    /// Its name there, which stays the same from report to report.
    pub id: String,
    /// Who wrote it.
    pub author: Person,
    /// When, in milliseconds since 1970; `None`: when what is checked out was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// When its text was last changed, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<u64>,
    /// The comment of the same source that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The review of the same request that it belongs to; `None`: that of the branch, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// What it is about; `None`: the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What the columns of the place count.
    #[serde(default)]
    pub columns: ColumnUnit,
    /// The text that is expected there.
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
    /// What it decides about the whole review; it is a verdict then, and no comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Who resolved the thread that it began, if anybody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ImportedResolution>,
    /// Whether it is from an export of comments: no tool reports it again, so it reopens nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
}

/// What columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ColumnUnit {
    /// Bytes.
    #[default]
    Bytes,
    /// Units of UTF-16.
    Utf16,
    /// Unicode characters.
    Characters,
}

/// The text that is expected at a place; if another text is there, it is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Expected {
    /// The first line of the place, without blanks around it.
    pub line: String,
    /// The line before it; `None` if nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The line after it; `None` if nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether `line` is a part of the line only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part: bool,
}

/// Who resolved a thread in the other tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedResolution {
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970; `None`: when the comment was made.
    pub at: Option<u64>,
    /// Why.
    pub reason: Option<String>,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportReply {
    /// The comments that are new here.
    pub added: Vec<Hex>,
    /// How many were here already.
    pub known: u32,
    /// How many have a new text.
    pub changed: u32,
    /// How many reviews and verdicts are new here.
    pub reviews: u32,
    /// Threads that were resolved, because their source does not report them any more.
    pub retired: Vec<Hex>,
    /// Threads that had been retired and are reported again.
    pub reopened: Vec<Hex>,
    /// How many of the new ones are not where their source says, because another text is there.
    pub displaced: u32,
    /// What was not taken over, and why.
    pub refused: Vec<RefusedView>,
    /// The tip of the notes now.
    pub notes: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Something that was not taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RefusedView {
    /// Its name in its source, or its number there.
    pub id: String,
    /// Why not.
    pub reason: String,
}
