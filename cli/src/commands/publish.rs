//! `postil publish`

use postil_core::protocol::{In, Publish};

use super::Context;
use crate::failure::Failure;

/// Share drafts
///
/// All at once, as one notes commit.
///
/// Examples:
///
///     postil publish
///     postil publish --review topic
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PublishArgs {
    /// Only those of this review, named by its id or its branch
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,
}

/// Shares.
pub fn run(args: &PublishArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.write(Publish { review: args.review.clone() })?;
    if context.is_json() {
        screen.json::<In<Publish>>(&reply)?;
    } else {
        match reply.published.len() {
            0 => screen.tell("there are no drafts"),
            1 => screen.line("published 1 record")?,
            count => screen.line(format!("published {count} records"))?,
        }
    }
    screen.close()
}
