//! `postil init`

use postil_core::protocol::{In, Init};

use super::Context;
use crate::failure::Failure;

/// Make a repository ready for reviews
///
/// Tells git how to merge review notes, and warns of settings that would share
/// what is not meant to be shared. Nothing that is set already is changed, and
/// postil works without it: run it once in each repository that you push notes
/// from with git itself.
///
/// Example:
///
///     postil init
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InitArgs {}

/// Makes the settings.
pub fn run(_: &InitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Init {})?;
    if context.is_json() {
        screen.json::<In<Init>>(&reply)?;
        return screen.close();
    }
    for setting in &reply.set {
        screen.line(format!("set {setting}"))?;
    }
    if reply.set.is_empty() {
        screen.tell("nothing was left to set");
    }
    for warning in &reply.warnings {
        screen.tell(format!("warning: {warning}"));
    }
    screen.close()
}
