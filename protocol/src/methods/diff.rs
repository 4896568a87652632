//! A diff with threads at their lines: what is asked for, and the answer.

use serde::{Deserialize, Serialize};

use super::reply::HeadView;
use super::request::{HeadName, Target};
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::place::ByteExtent;
use crate::views::syntax::SyntaxView;
use crate::views::thread::{Person, ThreadView};
use crate::wire::bytes::{ByteText, Hex};

/// Compares a head with its base, with the threads at their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the JSON, left out unless it is set")]
pub struct Diff {
    /// The base; if left out, that of the current review. `COMMIT^` of a commit without parents is an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The head.
    #[serde(default)]
    pub head: HeadName,
    /// Pathspecs as in git, relative to the root of the repository; if empty, all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<ByteText>,
    /// Number of unchanged lines around each change; if left out, three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// Whether to return only `base` and `head`: what is compared, for a client that makes the diff itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_only: bool,
    /// The review whose branch and base to compare, unless they are named; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// Whether files count that git does not track and does not ignore.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untracked: bool,
    /// Whether resolved threads are shown too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
    /// Whether to find the words that changed inside of lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub words: bool,
    /// Whether to leave out lines and threads: only which files differ, and what they hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outline: bool,
    /// Whether to say which words, strings and comments the lines have, for colours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub syntax: bool,
    /// Whether to name the line that a group of lines is inside of, where that line is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enclosing: bool,
    /// Whether lines that differ only in white space count as unchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_space: bool,
    /// Only these lines of each file, changed or not, by their offsets in its whole diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<DiffExtent>,
    /// Whether to list the commits that are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commits: bool,
    /// Whether to return the content of both sides of each file, if it is not too large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub content: bool,
    /// How much to return; if left out, everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<DiffLimit>,
}

/// How much of a diff one answer has. What is left out is counted, and is asked for by `paths` and `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffLimit {
    /// So many lines of all files together, or a few more; a long line and a thread count as several.
    pub lines: u32,
    /// Of a longer line, only so many bytes.
    pub line_bytes: u32,
    /// Of each file, only what is from this offset in its diff on.
    #[serde(default)]
    pub from: u32,
    /// So many threads of the line `from` were returned before, or of those at no line; at the beginning of a file, those on
    /// the whole file come first.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub threads: u32,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Some lines of the diff of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffExtent {
    /// The offset of the first one.
    pub from: u32,
    /// The offset after the last one.
    pub to: u32,
}

/// A diff with threads at their lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffReply {
    /// The commit of the base.
    pub base: Option<Hex>,
    /// The head that it is compared with.
    pub head: HeadView,
    /// The files that differ or have threads.
    pub files: Vec<DiffFile>,
    /// Threads on the whole review, and those whose file no longer exists; with a limit, all orphans.
    pub threads: Vec<ThreadView>,
    /// How many of them were left out, since the request has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<ThreadsLeft>,
    /// The commits from the base to the head, oldest first, if the request asked for them; of very many, the newest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<DiffCommit>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// A commit of what is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffCommit {
    /// The commit.
    pub commit: Hex,
    /// Its message; of a very long one, the beginning.
    pub message: ByteText,
    /// Its author.
    pub author: Person,
    /// When it was made, in milliseconds since 1970.
    pub at: u64,
}

/// One file of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffFile {
    /// Its path in the base; `None` if it is new.
    pub before: Option<ByteText>,
    /// Its path in the head; `None` if it is deleted.
    pub after: Option<ByteText>,
    /// Whether its content is binary.
    pub binary: bool,
    /// Its lines near a change or a thread.
    pub lines: Vec<DiffLine>,
    /// Threads on the whole file, and orphans without a candidate among its lines.
    pub threads: Vec<ThreadView>,
    /// What it is in the base; `None` if it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<DiffBlob>,
    /// What it is in the head; `None` if it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<DiffBlob>,
    /// Whether git does not track it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untracked: bool,
    /// How many lines were added.
    #[serde(default)]
    pub added: u32,
    /// How many lines were deleted.
    #[serde(default)]
    pub deleted: u32,
    /// How many lines the whole diff of the file has, with those that did not change.
    #[serde(default)]
    pub total: u32,
    /// Whether a program wrote it: by the attributes of the head (`linguist-generated`, `postil=exact`), else by its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generated: bool,
    /// A hash of what changed, wherever in the file it is: as long as it is the same, so is the change. Not in an outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Hex>,
    /// What was left out of it at its end, since the request has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<DiffLeft>,
}

/// What was left out of the threads that are at no line: the first ones of both kinds are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadsLeft {
    /// Those on the whole review, or on the message of a commit.
    pub review: DiffLeft,
    /// Orphans.
    pub orphans: DiffLeft,
}

/// What was left out at the end of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffLeft {
    /// The offset of the first line that was left out.
    pub from: u32,
    /// How many lines were.
    pub lines: u32,
    /// How many threads of the line `from` were not left out, to be asked for the others.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub threads: u32,
    /// How many open threads were left out.
    #[serde(default)]
    pub open: u32,
    /// How many of them are outdated.
    #[serde(default)]
    pub outdated: u32,
    /// How many resolved threads were.
    #[serde(default)]
    pub resolved: u32,
    /// How many comments that are drafts were.
    #[serde(default)]
    pub drafts: u32,
    /// How many threads with a suggestion were.
    #[serde(default)]
    pub suggestions: u32,
}

/// One side of a file in a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffBlob {
    /// The id of its content.
    pub blob: Hex,
    /// Its mode, as git writes it: `100644`, `100755` (a program) or `120000` (a link).
    pub mode: String,
    /// Its content, if the request asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ByteText>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffLine {
    /// Its index in the whole diff of the file, counted from zero.
    pub offset: u32,
    /// Its number in the base, if it is in the base.
    pub before: Option<u32>,
    /// Its number in the head, if it is in the head.
    pub after: Option<u32>,
    /// Whether it is unchanged, deleted or added.
    pub mark: DiffMark,
    /// The line.
    pub text: ByteText,
    /// The threads that end at this line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadView>,
    /// The parts of the line that changed, in bytes, if the request asked for words and the line that it became or was is
    /// like it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<ByteExtent>,
    /// Whether the file ends with this line, and the line without a newline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
    /// What the pieces of the line are, if the request asked for syntax and the language is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syntax: Vec<SyntaxView>,
    /// The line that this one is inside of, if the request asked for it, this is the first of a group, and that line is
    /// among those that are left out before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<EnclosingLine>,
    /// How many bytes were left out at its end, since the request has a limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The line that begins what other lines are inside of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct EnclosingLine {
    /// Its index in the whole diff of the file, counted from zero.
    pub offset: u32,
    /// The line; of a long one, its beginning.
    pub text: ByteText,
}

/// How a change affects a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DiffMark {
    /// It is in both.
    Kept,
    /// It is only in the base.
    Deleted,
    /// It is only in the head.
    Added,
}
