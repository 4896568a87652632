//! `postil show`

use postil_protocol::{HeadName, In, Show};

use super::Context;
use crate::failure::Failure;

/// Show a thread whole
///
/// With the lines where it is now or where it stood, what it was put on where
/// that changed, and all that was said. Of what is signed it tells whether that holds, and whose
/// key it is.
///
/// Examples:
///
///     postil show 3f9c1a2
///     postil show @ --at main
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ShowArgs {
    /// The thread, or any comment of it: the first digits of an id, or `@` for the newest
    #[arg(value_name = "ID", default_value = "@")]
    of: Vec<String>,

    /// Show its place at this commit instead of the files on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
}

/// Shows.
pub fn run(args: &ShowArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let head = args.at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    let mut replies = Vec::new();
    for of in &args.of {
        replies.push(session.ask(Show { of: of.clone(), head: head.clone() })?);
    }
    if !context.is_json() {
        screen.page();
    }
    for (at, reply) in replies.iter().enumerate() {
        if context.is_json() {
            screen.json::<In<Show>>(reply)?;
            continue;
        }
        if at > 0 {
            screen.line("")?;
        }
        screen.show(reply)?;
    }
    screen.close()
}
