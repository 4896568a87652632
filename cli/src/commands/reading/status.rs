//! `postil status`

use postil_protocol::{Freshness, RepositoryRequest, Status};

use crate::commands::Context;
use crate::failure::Failure;

/// Show the review of the current branch and its open threads
///
/// Shows the base, the verdicts, who still has to review the current commits,
/// blockers, unread threads, drafts, and what had not been sent to the remotes at
/// the last sync.
///
/// With --short, prints the counts on one line, for a shell prompt, or nothing if
/// there is nothing to report.
///
/// Examples:
///
///     postil status
///     PS1='$(postil status --short 2>/dev/null) $ '
///     postil status --exit-code && git push
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct StatusArgs {
    /// Print only the counts, on one line
    #[arg(short, long)]
    short: bool,

    /// Exit with 1 if there are open threads
    #[arg(long)]
    exit_code: bool,
}

/// Runs `postil status`.
pub fn run(args: &StatusArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let freshness = if args.short { Freshness::Now } else { Freshness::Wait };
    let reply = session.ask(Status { freshness, counts_only: args.short })?;
    let told = if context.is_json() {
        screen.json::<RepositoryRequest<Status>>(&reply)
    } else if args.short {
        screen.status_short(&reply)
    } else {
        screen.status(&reply)
    };
    if args.exit_code && reply.threads.open == 0 && reply.incomplete {
        told.and_then(|()| screen.close())?;
        return Err(Failure::unchecked());
    }
    Failure::checked(args.exit_code && reply.threads.open > 0, told.and_then(|()| screen.close()))
}
