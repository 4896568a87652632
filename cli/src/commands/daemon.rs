//! `postil daemon …`: the same binary in its other role.
//!
//! What the daemon does is in its own crate; here is how it is started and where its log goes.

use std::path::Path;

use postil_daemon::{AttendError, RepositoryError};

use crate::failure::{Failure, Kind};

/// Run the service that watches repositories
#[derive(Debug, clap::Subcommand)]
pub enum DaemonCommand {
    /// Watch this repository in the foreground
    ///
    /// Brings back what other programs lose from refs/notes/reviews, and logs
    /// each move of it to stderr. Ends on SIGTERM and on Ctrl-C.
    Run,
}

/// Runs the daemon for the repository around `directory`.
pub fn run(command: &DaemonCommand, directory: &Path) -> Result<(), Failure> {
    match command {
        DaemonCommand::Run => {
            tracing_subscriber::fmt().with_writer(std::io::stderr).init();
            postil_daemon::run(directory).map_err(stopped)
        }
    }
}

fn stopped(error: AttendError) -> Failure {
    let hint = match &error {
        AttendError::Repository(RepositoryError::Open(_)) => {
            "run it inside a git repository, or name one with `postil -C DIR daemon run`"
        }
        AttendError::Repository(_) => "look at the repository with `git fsck`",
        AttendError::Watch(_) => {
            "the system may be out of file watches (on Linux: fs.inotify.max_user_watches)"
        }
        AttendError::Signals(_) => "this is the system's refusal; nothing in the repository was touched",
    };
    Failure::new(Kind::Unavailable, "the daemon cannot attend to this repository").because(error).hint(hint)
}
