//! What a client prints about what it did itself, without the service: hooks, the daemon, and refused commands.

use serde::{Deserialize, Serialize};

use crate::daemon::control::DaemonStatusReply;
use crate::views::advice::Advice;
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
    /// Whether it is installed now.
    pub installed: bool,
    /// Whether the command changed anything.
    pub changed: bool,
    /// Where the previous hook is kept; it runs first.
    pub before: Option<ByteText>,
}

/// Whether the daemon runs, after it was started or stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonLifeReply {
    /// Whether it runs now.
    pub running: bool,
    /// Its process id, or that of the stopped daemon; `None` if there was none, or it is not known.
    pub pid: Option<u32>,
    /// The version of the program, if it runs.
    pub program: Option<String>,
}

/// Whether the daemon runs, and its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonFoundReply {
    /// Whether it runs.
    pub running: bool,
    /// Its process id; `None` if it does not run.
    pub pid: Option<u32>,
    /// Its status; `None` if it does not run.
    pub daemon: Option<DaemonStatusReply>,
}

/// The service files of the daemon for systemd or launchd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonInstallReply {
    /// Whether the system starts the daemon from now on.
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

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FailureView {
    /// The kind of error, as a stable word; docs/protocol.md lists them.
    pub code: String,
    /// What failed, as text.
    pub message: String,
    /// Why, and why that; the nearest cause first.
    pub causes: Vec<String>,
    /// What to do next, as text.
    pub hint: Option<String>,
    /// What to do next, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

/// What a command prints if it fails, after the results that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RefusedCommand {
    /// Why.
    pub error: FailureView,
}

/// What `apply --undo` undid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoneReply {
    /// What was undone, as text.
    pub undone: String,
    /// The files that were restored.
    pub files: Vec<ByteText>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What `apply --undo --skip` skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoSkippedReply {
    /// What was skipped, as text.
    pub skipped: String,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}
