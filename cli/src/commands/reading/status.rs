//! `postil status`

use postil_protocol::{Freshness, RepositoryRequest, Status};

use crate::commands::Context;
use crate::failure::Failure;

/// Show the review of the current branch and its open threads
///
/// Examples:
///
///     postil status
///     postil status --exit-code && git push
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct StatusArgs {
    /// Exit with 1 if there are open threads
    #[arg(long)]
    exit_code: bool,
}

/// Runs `postil status`.
pub fn run(args: &StatusArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Status { freshness: Freshness::Wait })?;
    let told = if context.is_json() {
        screen.json::<RepositoryRequest<Status>>(&reply)
    } else {
        screen.status(&reply)
    };
    if args.exit_code && reply.threads.open == 0 && reply.incomplete {
        told.and_then(|()| screen.close())?;
        return Err(Failure::unchecked());
    }
    Failure::checked(args.exit_code && reply.threads.open > 0, told.and_then(|()| screen.close()))
}
