//! `postil withdraw`

use postil_protocol::{In, Withdraw};

use super::Context;
use super::edit::meant;
use crate::failure::Failure;

/// Take your own comments back
///
/// They stay in the notes and are marked; `postil purge` is for what nobody may
/// see. A draft is given up.
///
/// Example:
///
///     postil withdraw @ -m 'I misread'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WithdrawArgs {
    /// Comment to take back: the first digits of its id, or `@` for the newest (can be repeated)
    #[arg(value_name = "ID", required = true)]
    comments: Vec<String>,

    /// Say why
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    reason: Option<String>,
}

/// Takes back.
pub fn run(args: &WithdrawArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.write(Withdraw { comments: args.comments.clone(), reason: args.reason.clone() })?;
    if context.is_json() {
        screen.json::<In<Withdraw>>(&reply)?;
    } else {
        // They come in the order in which they were named, unless several are in one thread.
        let is_one_each = reply.threads.len() == args.comments.len();
        for (at, thread) in reply.threads.iter().enumerate() {
            let comment = args.comments.get(at).filter(|_| is_one_each).and_then(|name| meant(thread, name));
            match comment {
                Some(comment) => screen.named_comment("withdrew", comment.id.as_str(), thread)?,
                None => screen.named("withdrew", thread)?,
            }
        }
    }
    screen.close()
}
