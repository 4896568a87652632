//! `postil wait`

use std::time::{Duration, Instant};

use postil_protocol::{Event, Status};

use super::events::{TopicArgs, print_event};
use crate::commands::Context;
use crate::commands::input::number::seconds;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};

/// Wait for the next event
///
/// For scripts and agents that take turns with people. Prints the event and exits
/// with 0, or exits with 1 if nothing happened before the timeout, or with 5 if that
/// cannot be known because something cannot be read. With --since, nothing that
/// happened between two commands is missed.
///
/// Examples:
///
///     postil wait --timeout 60
///     postil wait src/lib.rs --json
///     postil wait --since "$(postil list --json | jq -r .mark)"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WaitArgs {
    #[command(flatten)]
    topic: TopicArgs,

    /// Wait at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,

    /// Include events since this mark, which all JSON output contains
    #[arg(long, value_name = "MARK")]
    since: Option<String>,

    /// Kind of event to wait for
    #[arg(long = "for", value_name = "WHAT", default_value = "changed")]
    what: WaitResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WaitResult {
    /// A thread or review changed.
    Changed,
    /// The positions of comments changed.
    Placed,
    /// Either of the two.
    Any,
}

impl WaitResult {
    fn is(self, event: &Event) -> bool {
        match event {
            Event::Changed(_) => self != Self::Placed,
            Event::Placed(_) => self != Self::Changed,
            Event::Resolving(_) => false,
            // More may have happened than can be reported, or nothing more will happen.
            Event::Reset(_) | Event::Ended(_) => true,
        }
    }
}

/// What it means that nothing happened: if something cannot be read, nobody knows.
fn nothing_happened(session: &mut CommandSession) -> Result<Failure, Failure> {
    let status = session.ask(Status { counts_only: true, ..Status::default() })?;
    let nothing = || Failure::new(FailureKind::Found, String::new());
    Ok(if status.incomplete { Failure::unchecked() } else { nothing() })
}

/// Waits.
pub fn run(args: &WaitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut listening = args.topic.listen(&mut session, args.since.as_deref())?;
    args.topic.doubt(&session, &mut screen);
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    screen.print_message("waiting");
    loop {
        match listening.next(&session, deadline)? {
            None => return Err(nothing_happened(&mut session)?),
            Some(event) if args.what.is(&event) => {
                print_event(&session, &mut screen, &event)?;
                return screen.close();
            }
            Some(_) => {}
        }
    }
}
