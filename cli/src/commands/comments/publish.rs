//! `postil publish`

use postil_protocol::{Publish, RepositoryRequest, Scope};

use crate::commands::Context;
use crate::commands::exchange::sync;
use crate::failure::Failure;

/// Publish drafts
///
/// Publishes the drafts of the current review and those without a review, all in
/// one commit to the notes. They are not sent until `postil sync`.
///
/// Examples:
///
///     postil publish
///     postil publish --sync
///     postil publish --review topic
///     postil publish --all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PublishArgs {
    /// Only drafts of this review (ID or branch)
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Drafts of all reviews
    #[arg(short, long, conflicts_with = "review")]
    all: bool,

    /// Also send them, as `postil sync` does
    #[arg(long)]
    sync: bool,
}

/// Shares.
pub fn run(args: &PublishArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let scope = if args.all { Scope::All } else { Scope::Seen };
    let reply = session.write(Publish { review: args.review.clone(), scope })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Publish>>(&reply)?;
    } else {
        match reply.published.len() {
            0 if reply.left > 0 => screen.print_message("no matching drafts"),
            0 => screen.print_message("no drafts"),
            1 => screen.line("published 1 record")?,
            count => screen.line(format!("published {count} records"))?,
        }
        screen.published(&reply)?;
        if reply.left > 0 && args.review.is_none() {
            let left = match reply.left {
                1 => "1 draft of another review is".to_owned(),
                count => format!("{count} drafts of other reviews are"),
            };
            screen.print_message(format!("note: {left} not published; use `--all` or `--review REVIEW`"));
        }
        if !args.sync && !reply.published.is_empty() && sync::is_possible(session.checkout()) {
            screen.print_message("note: `postil sync` sends what was published");
        }
    }
    screen.close()?;
    if args.sync { sync::with_usual_remote(context) } else { Ok(()) }
}
