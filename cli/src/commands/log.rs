//! `postil log`

use postil_protocol::{In, Log};

use super::Context;
use crate::failure::Failure;

/// Tell where a comment was at each commit, and why it moved
///
/// Example:
///
///     postil log 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct LogArgs {
    /// The comment: the first digits of its id, or `@` for the newest
    #[arg(value_name = "ID", default_value = "@")]
    of: String,
}

/// Tells.
pub fn run(args: &LogArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Log { of: args.of.clone() })?;
    if context.is_json() {
        screen.json::<In<Log>>(&reply)?;
    } else {
        screen.page();
        screen.log(&reply)?;
    }
    screen.close()
}
