//! The words of `postil daemon`.

use std::io::Write;

use super::{install, life, logs, run as foreground, status};
use crate::commands::context::Context;
use crate::failure::Failure;

/// Look after the service that watches repositories
///
/// One daemon serves all repositories of a user. Commands start it when they
/// need it; nobody has to.
#[derive(Debug, clap::Subcommand)]
pub enum DaemonCommand {
    /// Run in the foreground
    ///
    /// Attends to every repository that was used, and to the one around the
    /// current folder. Logs to stderr. Ends on SIGTERM and on Ctrl-C once all
    /// that was asked is answered; SIGHUP reads configurations again.
    Run(foreground::RunArgs),
    /// Start it, unless it runs
    Start,
    /// End it once all that was asked is answered
    Stop,
    /// End it, and start it again
    Restart,
    /// Tell whether it runs, and what it attends to
    ///
    /// Exits with 1 when it does not run.
    Status,
    /// Print its log
    Logs(logs::LogsArgs),
    /// Have the system start it (systemd or launchd)
    Install,
    /// Undo what install did
    Uninstall,
}

/// Does what was asked.
pub fn run(command: &DaemonCommand, context: &Context, out: &mut impl Write) -> Result<(), Failure> {
    let format = context.format;
    match command {
        DaemonCommand::Run(args) => foreground::run(args, &context.at.directory),
        DaemonCommand::Start => life::start(format, out),
        DaemonCommand::Stop => life::stop(format, out),
        DaemonCommand::Restart => life::restart(format, out),
        DaemonCommand::Status => status::run(format, out),
        DaemonCommand::Logs(args) => logs::run(args, format, out),
        DaemonCommand::Install => install::install(format, out),
        DaemonCommand::Uninstall => install::uninstall(format, out),
    }
}
