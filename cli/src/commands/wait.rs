//! `postil wait`

use std::time::{Duration, Instant};

use postil_protocol::Event;

use super::Context;
use super::events::TopicArgs;
use super::number::seconds;
use crate::failure::{Failure, Kind};

/// Wait until something happens
///
/// For programs that take turns with people: ends with 0 when somebody said or
/// did something, and tells what; with 1 when nothing happened in time.
///
/// Examples:
///
///     postil wait --timeout 60
///     postil wait src/lib.rs --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WaitArgs {
    #[command(flatten)]
    topic: TopicArgs,

    /// Wait at most so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,

    /// Wait for this
    #[arg(long = "for", value_name = "WHAT", default_value = "changed")]
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Somebody said or did something.
    Changed,
    /// Comments have their places at a new head.
    Resolved,
    /// Either.
    Any,
}

impl What {
    fn is(self, event: &Event) -> bool {
        match event {
            Event::Changed(_) => self != Self::Resolved,
            Event::Resolved(_) => self != Self::Changed,
            Event::Resolving(_) => false,
            // Nothing else will happen.
            Event::Ended(_) => true,
        }
    }
}

/// Waits.
pub fn run(args: &WaitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut listening = args.topic.listen(&mut session)?;
    args.topic.doubt(&session, &mut screen);
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    screen.tell("waiting");
    loop {
        match listening.next(&session, &mut screen, deadline)? {
            None => return Err(Failure::new(Kind::Found, String::new())),
            Some(event) if args.what.is(&event) => {
                listening.tell(&mut session, &mut screen, &event)?;
                return screen.close();
            }
            Some(_) => {}
        }
    }
}
