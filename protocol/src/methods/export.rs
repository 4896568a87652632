//! Export of threads to formats of other tools.

use serde::{Deserialize, Serialize};

use super::list::Filter;
use super::request::{HeadName, Scope};
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::thread::ThreadView;
use crate::wire::bytes::ByteText;

/// Exports threads in a format of another tool; drafts are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Export {
    /// The format.
    pub format: ExportFormat,
    /// Which threads to start from.
    #[serde(default)]
    pub scope: Scope,
    /// Filter for these threads.
    #[serde(default)]
    pub filter: Filter,
    /// The head to compute positions for.
    #[serde(default)]
    pub head: HeadName,
    /// Maximum number of threads; all of them if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A format that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// Lines of JSON, a thread each.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Reviewdog, one object.
    Rdjson,
    /// Reviewdog, one object a line.
    Rdjsonl,
    /// `.comments` files, version 2.0.
    Comments,
}

/// The exported texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ExportReply {
    /// The texts: one for each source file with `comments`, else exactly one.
    pub files: Vec<ExportedFile>,
    /// How many threads are in them.
    pub threads: u32,
    /// How many threads on a whole review are left out, because the format needs a file.
    pub left_out: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// One exported text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ExportedFile {
    /// The source file that it is for; `None` if it contains all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<ByteText>,
    /// The text.
    pub text: String,
}

/// A line of the format `json`, as the command line prints it with `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ExportedThread {
    /// The mark of this answer, for a later `changes` request; not written to files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The thread.
    #[serde(flatten)]
    pub thread: ThreadView,
}
