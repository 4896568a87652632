//! The words of `postil daemon`.

use std::io::Write;

use super::{install, life, logs, run as foreground, status};
use crate::commands::context::Context;
use crate::failure::Failure;

/// Look after the service that watches repositories
///
/// One daemon serves all repositories of a user. Commands start it when they
/// need it; nobody has to.
///
/// Examples:
///
///     postil daemon status
///     postil daemon install
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum DaemonCommand {
    /// Run in the foreground
    ///
    /// Attends to every repository that was used, and to the one around the
    /// current folder. Logs to stderr. Ends on SIGTERM and on Ctrl-C once all
    /// that was asked is answered; SIGHUP reads configurations again.
    ///
    /// Example:
    ///
    ///     postil daemon run
    #[command(verbatim_doc_comment)]
    Run(foreground::RunArgs),
    /// Start it, unless it runs
    ///
    /// Example:
    ///
    ///     postil daemon start
    #[command(verbatim_doc_comment)]
    Start,
    /// End it once all that was asked is answered
    ///
    /// The next command that needs it starts it again; `git config postil.daemon
    /// off` does without.
    ///
    /// Example:
    ///
    ///     postil daemon stop
    #[command(verbatim_doc_comment)]
    Stop,
    /// End it, and start it again
    ///
    /// Example:
    ///
    ///     postil daemon restart
    #[command(verbatim_doc_comment)]
    Restart,
    /// Tell whether it runs, and what it attends to
    ///
    /// Exits with 1 when it does not run.
    ///
    /// Examples:
    ///
    ///     postil daemon status
    ///     postil daemon status --json
    #[command(verbatim_doc_comment)]
    Status,
    /// Print its log
    ///
    /// Examples:
    ///
    ///     postil daemon logs
    ///     postil daemon logs -n 20
    #[command(verbatim_doc_comment)]
    Logs(logs::LogsArgs),
    /// Have the system start it (systemd or launchd)
    ///
    /// Example:
    ///
    ///     postil daemon install
    #[command(verbatim_doc_comment)]
    Install,
    /// Undo what install did
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
