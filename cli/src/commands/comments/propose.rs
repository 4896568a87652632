//! `postil propose`

use std::ffi::OsString;

use postil_protocol::{Propose, RepositoryRequest};

use crate::commands::Context;
use crate::commands::input::location::place_named;
use crate::commands::input::message_place::message_place;
use crate::commands::input::target::{Meant, all_to_change};
use crate::failure::Failure;

/// Propose that a thread is done or obsolete, or where it belongs
///
/// For agents and tools, which do not resolve or move threads: a person accepts
/// the proposal with `postil accept`, or declines it with `postil decline`.
/// Without a location, the thread is proposed as done at the current commit; with
/// --obsolete, as no longer fitting its code.
///
/// Examples:
///
///     postil propose 3f9c1a2 -m 'saturates now'
///     postil propose 3f9c1a2 --done HEAD~1 --via agent:helper
///     postil propose 3f9c1a2 --place src/sum.rs:14
///     postil propose 3f9c1a2 --obsolete -m 'sums are checked by the type now'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ProposeArgs {
    /// Thread ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Commit at which it was done [default: HEAD]
    #[arg(long, value_name = "COMMIT")]
    done: Option<String>,

    /// It no longer fits the code, and nothing was done about it
    #[arg(long, conflicts_with_all = ["place", "on_message"])]
    obsolete: bool,

    /// Location where the thread belongs, such as `FILE:12`
    #[arg(long, value_name = "LOCATION")]
    place: Option<OsString>,

    /// Message of a commit to which the thread belongs: REV, REV:LINE or REV:FROM-TO
    #[arg(long = "message", value_name = "REV", conflicts_with = "place")]
    on_message: Option<String>,

    /// Give a reason
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    text: Option<String>,

    /// Save it as a draft, which is not shared until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Proposes.
pub fn run(args: &ProposeArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let place = args.place.as_deref().map(|place| place_named(session.checkout(), place)).transpose()?;
    let threads = all_to_change(&args.threads, Meant::Open, context, &mut session, &mut screen)?;
    let reply = session.write(Propose {
        threads,
        done: args.done.clone(),
        obsolete: args.obsolete,
        place,
        message: args.on_message.as_deref().map(message_place).transpose()?,
        text: args.text.clone().unwrap_or_default(),
        draft: args.draft,
    })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Propose>>(&reply)?;
    } else {
        let is_placed = args.place.is_some() || args.on_message.is_some();
        let word = match (is_placed, args.obsolete) {
            (true, _) => "proposed a place for",
            (false, true) => "proposed as obsolete",
            (false, false) => "proposed as done",
        };
        reply.threads.iter().try_for_each(|thread| screen.named(word, thread))?;
    }
    screen.close()
}
