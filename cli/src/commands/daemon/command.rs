//! The words of `postil daemon`.

use std::io::Write;

use super::{install, life, logs, run as foreground, status};
use crate::commands::context::Context;
use crate::failure::Failure;

/// Control the background process that watches repositories
///
/// One daemon serves all repositories of a user. Commands start it when they
/// need it, so there is usually nothing to do.
///
/// Examples:
///
///     postil daemon status
///     postil daemon install
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum DaemonCommand {
    /// Run the daemon in the foreground
    ///
    /// Watches all repositories in use, and the one in the current directory.
    /// Logs to stderr. On SIGTERM or Ctrl-C it answers pending requests and stops.
    /// On SIGHUP it reloads the configuration.
    ///
    /// Example:
    ///
    ///     postil daemon run
    #[command(verbatim_doc_comment)]
    Run(foreground::RunArgs),
    /// Start the daemon if it is not running
    ///
    /// Example:
    ///
    ///     postil daemon start
    #[command(verbatim_doc_comment)]
    Start,
    /// Stop the daemon after it has answered pending requests
    ///
    /// The next command that needs it starts it again. To work without a daemon,
    /// run `git config postil.daemon off`.
    ///
    /// Example:
    ///
    ///     postil daemon stop
    #[command(verbatim_doc_comment)]
    Stop,
    /// Restart the daemon
    ///
    /// Example:
    ///
    ///     postil daemon restart
    #[command(verbatim_doc_comment)]
    Restart,
    /// Show whether the daemon is running, and which repositories it watches
    ///
    /// Exits with 1 if it is not running.
    ///
    /// Examples:
    ///
    ///     postil daemon status
    ///     postil daemon status --json
    #[command(verbatim_doc_comment)]
    Status,
    /// Print the log of the daemon
    ///
    /// Examples:
    ///
    ///     postil daemon logs
    ///     postil daemon logs -n 20
    #[command(verbatim_doc_comment)]
    Logs(logs::LogsArgs),
    /// Install the daemon as a systemd or launchd user service
    ///
    /// Example:
    ///
    ///     postil daemon install
    #[command(verbatim_doc_comment)]
    Install,
    /// Undo `daemon install`
    ///
    /// Example:
    ///
    ///     postil daemon uninstall
    #[command(verbatim_doc_comment)]
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
