//! `postil resolve`

use postil_protocol::{In, Resolve};

use super::Context;
use crate::failure::Failure;

/// Resolve threads
///
/// They stay in the notes: `postil list --all` still shows them, and `postil
/// reopen` opens them again.
///
/// Examples:
///
///     postil resolve 3f9c1a2
///     postil resolve @ -m 'done in the next commit'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ResolveArgs {
    /// Thread to resolve: the first digits of its id, or `@` for the newest (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Say why
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    reason: Option<String>,
}

/// Resolves.
pub fn run(args: &ResolveArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.write(Resolve { threads: args.threads.clone(), reason: args.reason.clone() })?;
    if context.is_json() {
        screen.json::<In<Resolve>>(&reply)?;
    } else {
        reply.threads.iter().try_for_each(|thread| screen.named("resolved", thread))?;
    }
    screen.close()
}
