//! `postil edit`

use postil_protocol::{CommentView, Edit, HeadName, In, Show, ThreadView};

use super::Context;
use super::message::MessageArgs;
use crate::failure::{Failure, Kind};

/// Change the words of a comment
///
/// Your own comments say the new words from then on; the old ones stay in the
/// notes. For somebody else's comment the words are shown beside theirs.
///
/// Examples:
///
///     postil edit @ -m 'why saturating here?'
///     postil edit 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct EditArgs {
    /// The comment: the first digits of its id, or `@` for the newest
    #[arg(value_name = "ID")]
    of: String,

    #[command(flatten)]
    message: MessageArgs,
}

/// Changes the words.
pub fn run(args: &EditArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let shown = session.ask(Show { of: args.of.clone(), head: HeadName::default() })?;
    let comment = meant(&shown.thread, &args.of);
    let comment =
        comment.ok_or_else(|| Failure::new(Kind::NotFound, format!("there is no comment {}", args.of)))?;
    let message = args.message.take(session.checkout(), &context.at.directory, &comment.text, &[])?;
    let outcome = session.write(Edit { of: comment.id.to_string(), text: message.text.clone() });
    let reply = message.written(outcome)?;
    if context.is_json() {
        screen.json::<In<Edit>>(&reply)?;
    } else {
        let is_own = session.email() == Some(comment.author.email.as_str());
        let word = if is_own { "edited" } else { "proposed other words for" };
        for thread in &reply.threads {
            screen.named_comment(word, comment.id.as_str(), thread)?;
        }
    }
    screen.close()
}

/// The comment of a thread that a person named: by the beginning of its id, else the newest.
pub fn meant<'a>(thread: &'a ThreadView, name: &str) -> Option<&'a CommentView> {
    let name = name.to_lowercase();
    let named = thread.comments.iter().find(|comment| comment.id.as_str().starts_with(&name));
    named.or_else(|| thread.comments.iter().max_by_key(|comment| (comment.at, comment.id.clone())))
}
