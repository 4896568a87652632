//! `postil edit`

use postil_protocol::{CommentView, Edit, HeadName, RepositoryRequest, Show, ThreadView};

use crate::commands::Context;
use crate::commands::input::message::MessageArgs;
use crate::commands::input::target::{Meant, to_change};
use crate::failure::{Failure, FailureKind};

/// Change the text of a comment
///
/// The old text stays in the notes. If the comment is someone else's, your text
/// is shown next to theirs as a proposal.
///
/// Examples:
///
///     postil edit @ -m 'why saturating here?'
///     postil edit 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct EditArgs {
    /// Comment ID (a unique prefix is enough), `@` for the newest, or FILE:LINE
    #[arg(value_name = "ID")]
    of: String,

    #[command(flatten)]
    message: MessageArgs,
}

/// Changes the words.
pub fn run(args: &EditArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let of = to_change(&args.of, Meant::Open, context, &mut session, &mut screen)?;
    let shown = session.ask(Show { of: of.clone(), head: HeadName::default(), ..Show::default() })?;
    let comment = meant(&shown.thread, &of);
    let comment =
        comment.ok_or_else(|| Failure::new(FailureKind::NotFound, format!("no such comment: {of}")))?;
    let message = args.message.take(&session, context, &comment.text, &[])?;
    let outcome = session.write(Edit { of: comment.id.to_string(), text: message.text.clone() });
    let reply = message.written(outcome)?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Edit>>(&reply)?;
    } else {
        let is_own = session.email() == Some(comment.author.email.as_str());
        let word = if is_own { "edited" } else { "proposed a new text for" };
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
