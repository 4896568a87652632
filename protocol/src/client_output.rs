//! What a client prints about what it did itself, without the service: hooks, the daemon, and refused commands.

use serde::{Deserialize, Serialize};

use crate::daemon::control::DaemonStatusReply;
use crate::views::mark::Mark;
use crate::wire::bytes::ByteText;

/// The version of what `--json` prints; raised when a program could misunderstand it. New fields do not raise it.
pub const JSON_VERSION: u32 = 1;

/// The state of the hook that runs before a push.
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
    /// Its process, or the one that has ended; `None` if there was none, or its number is not known.
    pub pid: Option<u32>,
    /// The version of the program, if it runs.
    pub program: Option<String>,
}

/// Whether the daemon runs, and how it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonFoundReply {
    /// Whether it runs.
    pub running: bool,
    /// Its process; `None` if it does not run.
    pub pid: Option<u32>,
    /// How it is; `None` if it does not run.
    pub daemon: Option<DaemonStatusReply>,
}

/// The files by which the system starts the daemon.
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
    /// What failed, as text.
    pub message: String,
    /// Why, and why that; the nearest cause first.
    pub causes: Vec<String>,
    /// What to do next.
    pub hint: Option<String>,
}

/// What a command prints if its command line makes no sense, or if it fails before it has an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RefusedCommand {
    /// Why.
    pub error: FailureView,
}

/// What `apply --undo` took back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoneReply {
    /// What it was, as text.
    pub undone: String,
    /// The files that are as they were before.
    pub files: Vec<ByteText>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What `apply --undo --skip` left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoSkippedReply {
    /// What it was, as text.
    pub skipped: String,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}
