//! Exit codes, and which kind of failure gives which.
//!
//! They are part of the interface: scripts depend on them.

use std::process::ExitCode;

use crate::failure::{Failure, FailureKind};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Success = 0,
    /// A check found something.
    Found = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// What was named does not exist, or is ambiguous.
    NotFound = 3,
    /// Someone else's change is in the way.
    Conflict = 4,
    /// The daemon or the repository cannot be used.
    Unavailable = 5,
    /// It could do harm, and was not done.
    Unsafe = 6,
    /// A person or a supervisor ended it.
    Interrupted = 130,
}

impl Exit {
    /// How a command ends that failed like this.
    pub(crate) fn of(failure: &Failure) -> Self {
        match failure.kind() {
            FailureKind::CheckFailed | FailureKind::Found => Self::Found,
            FailureKind::Usage => Self::Usage,
            FailureKind::NotFound => Self::NotFound,
            FailureKind::Conflict => Self::Conflict,
            FailureKind::Unavailable => Self::Unavailable,
            FailureKind::Unsafe => Self::Unsafe,
            FailureKind::Interrupted => Self::Interrupted,
            // `postil … | head -1` is no failure, also under `set -o pipefail`.
            FailureKind::OutputClosed => Self::Success,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
