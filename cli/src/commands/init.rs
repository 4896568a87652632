//! `postil init`

use postil_protocol::{In, Init};

use super::Context;
use crate::advice;
use crate::failure::Failure;
use crate::render::line;

/// Make a repository ready to share reviews
///
/// Makes a plain `git fetch` bring the reviews of a remote along, to where
/// `postil sync` merges them from, and tells git how to merge review notes.
/// Nothing that is set already is changed, push settings are not touched, and
/// postil works without it.
///
/// Examples:
///
///     postil init
///     postil init --remote upstream
///     postil init --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InitArgs {
    /// The remote to fetch reviews from; the remote of the branch, else origin, else the only one
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,

    /// Take back what it set
    #[arg(long)]
    undo: bool,
}

/// Makes the settings.
pub fn run(args: &InitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Init { remote: args.remote.clone(), undo: args.undo })?;
    if context.is_json() {
        screen.json::<In<Init>>(&reply)?;
        return screen.close();
    }
    for setting in &reply.set {
        screen.line(format!("set {}", line(setting.as_bytes())))?;
    }
    for setting in &reply.unset {
        screen.line(format!("unset {}", line(setting.as_bytes())))?;
    }
    if reply.set.is_empty() && reply.unset.is_empty() {
        screen.tell(if args.undo { "nothing was set" } else { "nothing was left to set" });
    }
    for warning in &reply.warnings {
        screen.tell(format!("warning: {}", line(advice::warning(warning).as_bytes())));
    }
    screen.close()
}
