//! `postil publish`

use postil_protocol::{In, Publish, Scope};

use super::Context;
use crate::failure::Failure;

/// Share drafts
///
/// Those of the review of what is checked out, and those that belong to no
/// review. All at once, as one notes commit.
///
/// Examples:
///
///     postil publish
///     postil publish --review topic
///     postil publish --all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PublishArgs {
    /// Only those of this review, named by its id or its branch
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Those of every review
    #[arg(short, long, conflicts_with = "review")]
    all: bool,
}

/// Shares.
pub fn run(args: &PublishArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let scope = if args.all { Scope::All } else { Scope::Seen };
    let reply = session.write(Publish { review: args.review.clone(), scope })?;
    if context.is_json() {
        screen.json::<In<Publish>>(&reply)?;
    } else {
        match reply.published.len() {
            0 if reply.left > 0 => screen.tell("there are no such drafts"),
            0 => screen.tell("there are no drafts"),
            1 => screen.line("published 1 record")?,
            count => screen.line(format!("published {count} records"))?,
        }
        if reply.left > 0 && args.review.is_none() {
            let left = match reply.left {
                1 => "1 draft of another review is".to_owned(),
                count => format!("{count} drafts of other reviews are"),
            };
            screen
                .tell(format!("note: {left} still not shared; `--all` shares all, `--review` those of one"));
        }
    }
    screen.close()
}
