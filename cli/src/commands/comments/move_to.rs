//! `postil move`

use postil_protocol::{Move, MoveTo, RepositoryRequest, Withdraw};

use crate::commands::Context;
use crate::commands::input::choose_place::{self, PlaceChoice};
use crate::commands::input::location::LocationArgs;
use crate::commands::input::message_place::message_place;
use crate::commands::input::number::count;
use crate::commands::input::target::{Meant, to_change};
use crate::failure::{Failure, FailureKind};

/// Move a comment to another place
///
/// Without a location, shows the original lines and the likely places, and asks
/// which one to use; this needs a terminal. To find comments with an uncertain
/// position, run `postil list --needs-choice`.
///
/// Examples:
///
///     postil move 3f9c1a2
///     postil move 3f9c1a2 src/lib.rs:40
///     postil move 3f9c1a2 --pick 1
///     postil move 3f9c1a2 --pick 0
///     postil move 3f9c1a2 --message HEAD~1:3
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct MoveArgs {
    /// Comment ID (a unique prefix is enough), `@` for the newest, or FILE:LINE
    #[arg(value_name = "ID")]
    of: String,

    #[command(flatten)]
    to: LocationArgs,

    /// Move it to the message of this commit: REV, REV:LINE or REV:FROM-TO
    #[arg(long = "message", value_name = "REV", conflicts_with_all = ["location", "quote", "pick"])]
    on_message: Option<String>,

    /// Move it to the place with this number in `postil show`; 0 confirms the current position
    #[arg(long, value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    pick: Option<u32>,

    /// Number of lines to show on each side when asking
    #[arg(long, value_name = "LINES", default_value = "20", value_parser = count, allow_negative_numbers = true)]
    radius: u32,
}

/// Moves.
pub fn run(args: &MoveArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let place = args.to.place(session.checkout())?;
    let on_message = args.on_message.as_deref().map(message_place).transpose()?;
    let of = to_change(&args.of, Meant::Open, context, &mut session, &mut screen)?;
    let to = match (place, args.pick) {
        (None, None) if on_message.is_some() => on_message.map(MoveTo::Message).expect("it is some"),
        (Some(place), None) => MoveTo::Place(place),
        (None, Some(number)) => MoveTo::Candidate(number),
        (Some(_), Some(_)) => {
            return Err(Failure::new(FailureKind::Usage, "a location and `--pick` cannot be used together")
                .hint("give only one of them"));
        }
        (None, None) if choose_place::is_possible() && !context.is_json() => {
            match choose_place::choose(&mut session, &mut screen, &of, args.radius)? {
                PlaceChoice::Moved(reply) => {
                    reply.threads.iter().try_for_each(|thread| screen.named("moved", thread))?;
                    return screen.close();
                }
                PlaceChoice::Nothing => return screen.close(),
                PlaceChoice::Withdraw => {
                    let reply = session.write(Withdraw { comments: vec![of], reason: None })?;
                    reply.threads.iter().try_for_each(|thread| screen.named("withdrew", thread))?;
                    return screen.close();
                }
            }
        }
        (None, None) => {
            return Err(Failure::new(FailureKind::Usage, "no location given").hint(format!(
                "give a location, or choose a place from `postil show {of}` with `--pick NUMBER`"
            )));
        }
    };
    let reply = session.write(Move { of, to })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Move>>(&reply)?;
    } else {
        reply.threads.iter().try_for_each(|thread| screen.named("moved", thread))?;
    }
    screen.close()
}
