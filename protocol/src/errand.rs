//! What a client says of what it did itself, without the service: hooks, the life of the daemon, and what it refused.

use serde::{Deserialize, Serialize};

use super::bytes::ByteText;
use super::server::DaemonStatusReply;

/// The version of what `--json` prints; raised when a program could misunderstand it. New fields do not raise it.
pub const JSON_VERSION: u32 = 1;

/// What became of the gate before a push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct HookReply {
    /// The file of the hook.
    pub hook: ByteText,
    /// Whether it is there now.
    pub installed: bool,
    /// Whether anything was done about it.
    pub changed: bool,
    /// Where the hook that was there before is kept, and from where it runs first.
    pub before: Option<ByteText>,
}

/// Whether the daemon runs, after it was started or ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonLifeReply {
    /// Whether it runs now.
    pub running: bool,
    /// Its process, or the one that has ended; `None` where there was none, or nobody knows its number.
    pub pid: Option<u32>,
    /// The version of the program, where it runs.
    pub program: Option<String>,
}

/// Whether the daemon runs, and how it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonFoundReply {
    /// Whether it runs.
    pub running: bool,
    /// Its process; `None` where it does not run.
    pub pid: Option<u32>,
    /// How it is; `None` where it does not run.
    pub daemon: Option<DaemonStatusReply>,
}

/// What became of the files by which the system starts the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonInstallReply {
    /// Whether the system starts it from now on.
    pub installed: bool,
    /// The files that were written or removed.
    pub files: Vec<ByteText>,
}

/// One line of the daemon's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LogLine {
    /// The line.
    pub line: String,
}

/// Why a command did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FailureView {
    /// What it was, in a word that stays; docs/protocol.md has them.
    pub code: String,
    /// What failed, in words.
    pub message: String,
    /// Why, and why that; the nearest cause first.
    pub causes: Vec<String>,
    /// What to do next.
    pub hint: Option<String>,
}

/// What any command writes whose command line makes no sense, and one that fails before it has an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RefusedWords {
    /// Why.
    pub error: FailureView,
}

/// What `apply --undo` took back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct TakenBack {
    /// What it was, in words.
    pub undone: String,
    /// The files that are as they were before.
    pub files: Vec<ByteText>,
}

/// What `apply --undo --skip` left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Skipped {
    /// What it was, in words.
    pub skipped: String,
}
