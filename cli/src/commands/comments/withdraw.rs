//! `postil withdraw`

use postil_protocol::{RepositoryRequest, Withdraw};

use super::edit::meant;
use crate::commands::Context;
use crate::commands::input::target::{Meant, all_to_change};
use crate::failure::Failure;

/// Withdraw your own comments
///
/// Withdrawn comments stay in the notes, marked as withdrawn; to hide them, use
/// `postil purge`. Drafts are deleted.
///
/// Example:
///
///     postil withdraw @ -m 'I misread'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WithdrawArgs {
    /// Comment ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    comments: Vec<String>,

    /// Give a reason; if the comment is already withdrawn, it is saved as a reply
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    reason: Option<String>,
}

/// Takes back.
pub fn run(args: &WithdrawArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let comments = all_to_change(&args.comments, Meant::Open, context, &mut session, &mut screen)?;
    let reply = session.write(Withdraw { comments: comments.clone(), reason: args.reason.clone() })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Withdraw>>(&reply)?;
    } else {
        // They come in the order in which they were named, unless several are in one thread.
        let is_one_each = reply.threads.len() == comments.len();
        let was_so = |id: &str| reply.unchanged.iter().any(|same| same.of.as_str() == id);
        for (at, thread) in reply.threads.iter().enumerate() {
            let comment = comments.get(at).filter(|_| is_one_each).and_then(|name| meant(thread, name));
            match comment {
                Some(comment) => {
                    let id = comment.id.as_str();
                    let word = if was_so(id) { "already withdrawn:" } else { "withdrew" };
                    screen.named_comment(word, id, thread)?;
                }
                None => screen.named("withdrew", thread)?,
            }
        }
        screen.saved_as_reply(&reply);
    }
    screen.close()
}
