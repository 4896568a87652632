//! `postil log`

use postil_protocol::{Log, RepositoryRequest};

use crate::commands::Context;
use crate::commands::input::target::to_read;
use crate::failure::Failure;

/// Show where a comment was at each commit, and what happened in its thread
///
/// Shows each place and why the comment moved there, then who commented, edited,
/// resolved, reopened, moved or withdrew, with the text or reason they gave.
///
/// Example:
///
///     postil log 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct LogArgs {
    /// Comment ID (a unique prefix is enough), `@` for the newest, FILE:LINE or FILE
    #[arg(value_name = "ID", default_value = "@")]
    of: String,
}

/// Runs `postil log`.
pub fn run(args: &LogArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut replies = Vec::new();
    for of in to_read(&args.of, &mut session)? {
        replies.push(session.ask(Log { of })?);
    }
    if !context.is_json() {
        screen.page();
    }
    for (at, reply) in replies.iter().enumerate() {
        if context.is_json() {
            screen.json::<RepositoryRequest<Log>>(reply)?;
            continue;
        }
        if at > 0 {
            screen.line("")?;
        }
        screen.log(reply)?;
    }
    screen.close()
}
