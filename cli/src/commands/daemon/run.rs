//! `postil daemon run`: becomes the daemon.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use postil_client::{SessionError, VERSION, git_dir_around};
use postil_daemon::{RunError, RunMode};
use postil_socket::{READY, RuntimeDirs, SocketError, of_one_command};

use crate::connect::hint;
use crate::failure::{Failure, FailureKind};

/// How to run it.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Go into the background, with the log in the state folder
    #[arg(long, hide = true)]
    detached: bool,
}

/// Runs the daemon until it is asked to end.
pub fn run(args: &RunArgs, directory: &Path) -> Result<(), Failure> {
    let here = if args.detached { None } else { git_dir_around(directory).map_err(nowhere)? };
    let outcome =
        shed_environment().map_err(RunError::System).and_then(|()| be_daemon(args, here.as_deref()));
    if let (Err(error), true) = (&outcome, args.detached) {
        // The client that started this waits for one line.
        let _ = writeln!(std::io::stdout(), "{}", chain(error).replace('\n', " "));
    }
    outcome.map_err(stopped)
}

fn be_daemon(args: &RunArgs, here: Option<&Path>) -> Result<(), RunError> {
    let dirs = RuntimeDirs::of_this_user()?;
    if !args.detached {
        return postil_daemon::run(dirs, VERSION, RunMode::Foreground, here, || {});
    }
    // A session of its own: the end of the terminal is not the end of the daemon. Fails for the leader of a session,
    // which is what it wants to be.
    let _ = rustix::process::setsid();
    postil_daemon::run(dirs, VERSION, RunMode::Detached, None, || {
        let _ = writeln!(std::io::stdout(), "{READY}");
        let_go_of_the_terminal();
    })
}

/// Closes standard output, for which the client waits; standard error stays at the log, for panics.
fn let_go_of_the_terminal() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// Starts this process over without the variables that a hook of git has, if there are any.
///
/// They would bind every repository to one index, one configuration or one author.
fn shed_environment() -> std::io::Result<()> {
    let unwanted = of_one_command();
    if unwanted.is_empty() {
        return Ok(());
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    for name in unwanted {
        command.env_remove(name);
    }
    Err(command.exec())
}

fn nowhere(error: SessionError) -> Failure {
    let failure = Failure::new(FailureKind::Unavailable, "the daemon cannot watch this repository");
    let failure = match error {
        SessionError::NoRepository(source) => failure.because(source),
        other => failure.because(other),
    };
    failure.hint("give an existing directory: `postil -C DIR daemon run`")
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn stopped(error: RunError) -> Failure {
    let hint = match &error {
        RunError::Socket(error) => hint(error),
        RunError::Log(_) => "free up disk space, or set POSTIL_STATE_DIR to another directory",
        RunError::System(_) => "check the limits of your user with `ulimit -a`; no repository was changed",
    };
    let kind = match &error {
        RunError::Socket(SocketError::Taken { .. }) => FailureKind::Conflict,
        _ => FailureKind::Unavailable,
    };
    Failure::new(kind, "could not run the daemon").because(error).hint(hint)
}
