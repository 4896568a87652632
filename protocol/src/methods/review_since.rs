//! What changed in a review since a verdict, or since somebody looked at it.

use serde::{Deserialize, Serialize};

use super::diff::DiffMark;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::review::{ReviewView, VerdictView};
use crate::wire::bytes::{ByteText, Hex};

/// What changed between an earlier head and the current head, without changes of the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceReply {
    /// The review.
    pub review: ReviewView,
    /// The verdict; `None` if it is since the version that was looked at last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictView>,
    /// The branch at that time.
    pub then: StretchView,
    /// The branch now.
    pub now: StretchView,
    /// Whether commits were only added to the branch since: then the diff of the two heads is what changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_added: bool,
    /// The files whose changes differ, sorted by path; empty if nothing changed.
    pub files: Vec<SinceFile>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// The work of a branch: the changes from `base` to `head`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StretchView {
    /// The base.
    pub base: Hex,
    /// The head.
    pub head: Hex,
}

/// A file whose changes differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceFile {
    /// Its current path.
    pub path: ByteText,
    /// Its old path, if it was renamed.
    pub was: Option<ByteText>,
    /// The lines of the differing changes; `None` if only the name, the mode or the line endings differ, or
    /// the file is binary.
    pub lines: Option<Vec<SinceLine>>,
    /// The same lines in hunks, with the lines around them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<SinceHunkView>,
}

/// Lines of a file that belong together, numbered as in the diff of the branch now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceHunkView {
    /// The first line in the base, counted from one; with no lines, the one before.
    pub before: u32,
    /// The number of lines in the base.
    pub before_count: u32,
    /// The first line in the head, counted from one; with no lines, the one before.
    pub after: u32,
    /// The number of lines in the head.
    pub after_count: u32,
    /// The line above that begins a function or another part of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<ByteText>,
    /// The lines; those around them have the change `same` and the mark `kept`.
    pub lines: Vec<SinceLine>,
}

/// A line that the branch adds or deletes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceLine {
    /// Whether it still does.
    pub change: SinceChange,
    /// Whether the line is added or deleted.
    pub mark: DiffMark,
    /// Its number, counted from one: in the head for an added line, in the base for a deleted one.
    pub line: u32,
    /// The line, without its line ending.
    pub text: ByteText,
}

/// Whether a change of the branch is old or new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SinceChange {
    /// It was there then, and still is.
    Same,
    /// It was there then, and no longer is.
    Gone,
    /// It was not there then.
    Came,
}
