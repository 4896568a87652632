//! `postil wait`

use std::time::{Duration, Instant};

use postil_protocol::Event;

use super::Context;
use super::events::{TopicArgs, tell};
use super::number::seconds;
use crate::failure::{Failure, Kind};

/// Wait until something happens
///
/// For programs that take turns with people: ends with 0 when somebody said or
/// did something, and tells what; with 1 when nothing happened in time. With
/// --since, it misses nothing that happened between two commands.
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

    /// Wait at most so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,

    /// Count what happened since this mark, which every JSON output has
    #[arg(long, value_name = "MARK")]
    since: Option<String>,

    /// Wait for this
    #[arg(long = "for", value_name = "WHAT", default_value = "changed")]
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Somebody said or did something.
    Changed,
    /// Comments have their places at a new head.
    Placed,
    /// Either.
    Any,
}

impl What {
    fn is(self, event: &Event) -> bool {
        match event {
            Event::Changed(_) => self != Self::Placed,
            Event::Placed(_) => self != Self::Changed,
            Event::Resolving(_) => false,
            // More may have happened than can be told, or nothing else will happen.
            Event::Reset(_) | Event::Ended(_) => true,
        }
    }
}

/// Waits.
pub fn run(args: &WaitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut listening = args.topic.listen(&mut session, args.since.as_deref())?;
    args.topic.doubt(&session, &mut screen);
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    screen.tell("waiting");
    loop {
        match listening.next(&session, deadline)? {
            None => return Err(Failure::new(Kind::Found, String::new())),
            Some(event) if args.what.is(&event) => {
                tell(&session, &mut screen, &event)?;
                return screen.close();
            }
            Some(_) => {}
        }
    }
}
