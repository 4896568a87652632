//! What a client tells of what it did itself, without the service: hooks, and the life of the daemon.

use serde::{Deserialize, Serialize};

use super::bytes::ByteText;
use super::server::DaemonStatusReply;

/// What became of the gate before a push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct DaemonInstallReply {
    /// Whether the system starts it from now on.
    pub installed: bool,
    /// The files that were written or removed.
    pub files: Vec<ByteText>,
}

/// One line of the daemon's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// The line.
    pub line: String,
}
