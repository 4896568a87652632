//! `postil watch`

use super::events::{TopicArgs, print_event};
use crate::commands::Context;
use crate::failure::Failure;

/// Show events as they happen
///
/// Shows new comments, replies, resolved and moved threads, until Ctrl-C. With
/// --json, prints one event per line. Continues if the daemon is restarted.
///
/// Examples:
///
///     postil watch
///     postil watch src/lib.rs --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WatchArgs {
    #[command(flatten)]
    topic: TopicArgs,

    /// Start with the events since this mark, which all JSON output contains
    #[arg(long, value_name = "MARK")]
    since: Option<String>,
}

/// Prints events until it is stopped.
pub fn run(args: &WatchArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut listening = args.topic.listen(&mut session, args.since.as_deref())?;
    args.topic.doubt(&session, &mut screen);
    screen.print_message("watching");
    loop {
        if let Some(event) = listening.next(&session, None)? {
            print_event(&session, &mut screen, &event)?;
        }
    }
}
