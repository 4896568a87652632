//! `postil watch`

use super::Context;
use super::events::{TopicArgs, tell};
use crate::failure::Failure;

/// Tell what happens, as it happens
///
/// Threads that are new, answered, resolved or moved, until Ctrl-C. With --json,
/// each event is a line. Goes on when the daemon is restarted.
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

    /// Begin with what happened since this mark, which every JSON output has
    #[arg(long, value_name = "MARK")]
    since: Option<String>,
}

/// Tells until it is ended.
pub fn run(args: &WatchArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut listening = args.topic.listen(&mut session, args.since.as_deref())?;
    args.topic.doubt(&session, &mut screen);
    screen.tell("watching");
    loop {
        if let Some(event) = listening.next(&session, None)? {
            tell(&session, &mut screen, &event)?;
        }
    }
}
