//! `postil resolve`

use postil_protocol::{RepositoryRequest, Resolve};

use crate::commands::Context;
use crate::commands::input::target::{Meant, all_to_change};
use crate::failure::Failure;

/// Mark threads as resolved
///
/// Resolved threads stay in the notes: `postil list --all` shows them, and
/// `postil reopen` reopens them.
///
/// Examples:
///
///     postil resolve 3f9c1a2
///     postil resolve @ -m 'done in the next commit'
///     postil resolve 3f9c1a2 --by HEAD
///     postil resolve src/lib.rs:12
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ResolveArgs {
    /// Thread ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Give a reason; if the thread is already resolved, it is saved as a reply
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    reason: Option<String>,

    /// Commit by which it was resolved
    #[arg(long, value_name = "COMMIT")]
    by: Option<String>,
}

/// Resolves.
pub fn run(args: &ResolveArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let threads = all_to_change(&args.threads, Meant::Open, context, &mut session, &mut screen)?;
    let reply = session.write(Resolve { threads, reason: args.reason.clone(), by: args.by.clone() })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Resolve>>(&reply)?;
    } else {
        screen.status_set("resolved", "already resolved:", &reply)?;
    }
    screen.close()
}
