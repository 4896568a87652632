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
    /// Pathspecs of files that the reports cover besides those that they name: what is absent there is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<ByteText>,
    /// Files that a source says it looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<CoveredFile>,
    /// Retires a thread also if it was absent from the reports at so many commits, although its lines are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<u32>,
    /// At most so many findings of each source are threads, the most severe; the rest is counted in one comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
    /// Whether to import the notes of git-appraise in this repository.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub appraise: bool,
}

/// A file that a source looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CoveredFile {
    /// The source.
    pub source: String,
    /// The file, relative to the root of the repository.
    pub path: ByteText,
}

/// A file of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedFile {
    /// The format of the file; if left out, it is guessed from the name and the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImportFormat>,
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
    /// What Codex finds in a review.
    Codex,
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
    /// What its author put it on, at a commit; it counts before `place` if that commit is in the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored: Option<Place>,
    /// The git id of the content at `anchored`; with another content there, `place` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<Hex>,
    /// The unit of the columns of the place, and of `fix`.
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
    /// Who withdrew it, if it is withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<ImportedResolution>,
    /// The change that it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<ImportedFix>,
    /// Whether it is from an export of comments, which is not a new report and so reopens nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
    /// Whether its source has no name for it: `id` is made of rule, file and message, and what it is about is recognized by
    /// its lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nameless: bool,
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

/// A change that a tool suggests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ImportedFix {
    /// Replacements in one or more files.
    Files(Vec<FixedFile>),
    /// A change that could not be read, and why; the comment is imported without it.
    Unreadable(String),
    /// A unified diff of the files at a commit.
    Patch {
        /// The diff.
        patch: ByteText,
        /// The commit; if left out, the files on disk.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rev: Option<String>,
    },
}

/// A file that a tool suggests to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FixedFile {
    /// The file.
    pub path: ByteText,
    /// What is replaced in it; no two may overlap.
    pub replacements: Vec<FixedRegion>,
}

/// A replacement of a part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FixedRegion {
    /// The part.
    pub part: FilePart,
    /// The text that the tool saw there, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
    /// The new text.
    pub inserted: String,
}

/// A part of a file, as tools name it; the end is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FilePart {
    /// Lines and columns, counted from one.
    Lines {
        /// The first line.
        start: u32,
        /// The first column; if left out, the start of the line.
        start_column: Option<u32>,
        /// The last line.
        end: u32,
        /// The column after the last one; if left out, the end of the line, without its line break.
        end_column: Option<u32>,
    },
    /// Bytes, counted from zero.
    Bytes {
        /// The first one.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// Characters, in the unit of columns, counted from zero.
    Characters {
        /// The first one.
        offset: u64,
        /// How many.
        length: u64,
    },
}

/// Who resolved or withdrew something in the other tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ImportedResolution {
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970; if left out, when the comment was made.
    pub at: Option<u64>,
    /// Why.
    pub reason: Option<String>,
    /// The commit by which it was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Hex>,
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
    /// How many of the new comments suggest a change.
    #[serde(default)]
    pub fixes: u32,
    /// Entries that were imported without the change that they suggest, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_fix: Vec<RefusedView>,
    /// Which of the new comments were dismissed before and are asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Hex>,
    /// How many known threads were put on the lines that are reported now, because theirs had changed.
    #[serde(default)]
    pub placed: u32,
    /// How many findings were left out because of `max`.
    #[serde(default)]
    pub left_out: u32,
    /// How many threads are not in the report and stay open all the same.
    #[serde(default)]
    pub absent: u32,
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
