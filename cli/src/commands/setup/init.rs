//! `postil init`

use postil_protocol::{Init, RepositoryRequest};

use crate::advice;
use crate::commands::Context;
use crate::failure::Failure;
use crate::render::line;

/// Set up a repository to fetch reviews
///
/// Configures git so that `git fetch` also fetches reviews, for `postil sync` to
/// merge, and sets how git merges review notes. Existing settings and the push
/// configuration are not changed. postil also works without this command.
///
/// Examples:
///
///     postil init
///     postil init --remote upstream
///     postil init --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InitArgs {
    /// Remote to fetch reviews from [default: the remote of the branch, then origin, then the only one]
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,

    /// Undo `postil init`
    #[arg(long)]
    undo: bool,
}

/// Makes the settings.
pub fn run(args: &InitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Init { remote: args.remote.clone(), undo: args.undo })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Init>>(&reply)?;
        return screen.close();
    }
    for setting in &reply.set {
        screen.line(format!("set {}", line(setting.as_bytes())))?;
    }
    for setting in &reply.unset {
        screen.line(format!("unset {}", line(setting.as_bytes())))?;
    }
    if reply.set.is_empty() && reply.unset.is_empty() {
        screen.print_message(if args.undo { "nothing to undo" } else { "already set up" });
    }
    for warning in &reply.warnings {
        screen.print_message(format!("warning: {}", line(advice::warning(warning).as_bytes())));
    }
    screen.close()
}
