//! `postil move`

use postil_protocol::{In, Move, MoveTo, Withdraw};

use super::Context;
use super::choose::{self, Choice};
use super::location::LocationArgs;
use super::number::count;
use crate::failure::{Failure, Kind};

/// Put a comment elsewhere by hand
///
/// Without a location it asks, on a terminal: it shows what the comment was on,
/// the places that were considered and the lines around. `postil list
/// --needs-choice` finds the comments that want it.
///
/// Examples:
///
///     postil move 3f9c1a2
///     postil move 3f9c1a2 src/lib.rs:40
///     postil move 3f9c1a2 --pick 1
///     postil move 3f9c1a2 --pick 0
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct MoveArgs {
    /// The comment: the first digits of its id, or `@` for the newest
    #[arg(value_name = "ID")]
    of: String,

    #[command(flatten)]
    to: LocationArgs,

    /// Take the place with this number that `postil show` lists; 0 takes the best guess as right
    #[arg(long, value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    pick: Option<u32>,

    /// Show so many lines on each side when asking
    #[arg(long, value_name = "LINES", default_value = "20", value_parser = count, allow_negative_numbers = true)]
    radius: u32,
}

/// Moves.
pub fn run(args: &MoveArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let place = args.to.place(session.checkout())?;
    let to = match (place, args.pick) {
        (Some(place), None) => MoveTo::Place(place),
        (None, Some(number)) => MoveTo::Candidate(number),
        (Some(_), Some(_)) => {
            return Err(Failure::new(Kind::Usage, "name a location or pick a place, not both")
                .hint("leave out `--pick`, or the location"));
        }
        (None, None) if choose::is_possible() && !context.is_json() => {
            match choose::choose(&mut session, &mut screen, &args.of, args.radius)? {
                Choice::Moved(reply) => {
                    reply.threads.iter().try_for_each(|thread| screen.named("moved", thread))?;
                    return screen.close();
                }
                Choice::Nothing => return screen.close(),
                Choice::Withdraw => {
                    let reply = session.write(Withdraw { comments: vec![args.of.clone()], reason: None })?;
                    reply.threads.iter().try_for_each(|thread| screen.named("withdrew", thread))?;
                    return screen.close();
                }
            }
        }
        (None, None) => {
            return Err(Failure::new(Kind::Usage, "where to?")
                .hint(format!("name a location, or pick a place that `postil show {}` lists", args.of)));
        }
    };
    let reply = session.write(Move { of: args.of.clone(), to })?;
    if context.is_json() {
        screen.json::<In<Move>>(&reply)?;
    } else {
        reply.threads.iter().try_for_each(|thread| screen.named("moved", thread))?;
    }
    screen.close()
}
