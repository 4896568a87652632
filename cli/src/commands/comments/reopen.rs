//! `postil reopen`

use postil_protocol::{Reopen, RepositoryRequest};

use crate::commands::Context;
use crate::commands::input::target::{Meant, all_to_change};
use crate::failure::Failure;

/// Reopen threads
///
/// Withdrawn threads can be reopened too.
///
/// Example:
///
///     postil reopen 3f9c1a2 -m 'it happens again'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ReopenArgs {
    /// Thread ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Give a reason; if the thread is already open, it is saved as a reply
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    reason: Option<String>,
}

/// Opens again.
pub fn run(args: &ReopenArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let threads = all_to_change(&args.threads, Meant::Closed, context, &mut session, &mut screen)?;
    let reply = session.write(Reopen { threads, reason: args.reason.clone() })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Reopen>>(&reply)?;
    } else {
        screen.status_set("reopened", "already open:", &reply)?;
    }
    screen.close()
}
