//! `postil reply`

use postil_core::protocol::{HeadName, In, ReplyTo, Show};

use super::Context;
use super::change::ChangeArgs;
use super::message::MessageArgs;
use crate::failure::Failure;
use crate::render::paragraph;

/// Answer a comment
///
/// Examples:
///
///     postil reply 3f9c1a2 -m 'because it can be zero'
///     postil reply @ -F answer.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ReplyArgs {
    /// The comment: the first digits of its id, or `@` for the newest
    #[arg(value_name = "ID")]
    to: String,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    change: ChangeArgs,

    /// Keep it here until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Answers.
pub fn run(args: &ReplyArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let mut about = Vec::new();
    if !args.message.is_given() {
        let shown = session.ask(Show { of: args.to.clone(), head: HeadName::default() })?;
        for comment in &shown.thread.comments {
            about.push(format!("{}:", crate::render::line(comment.author.name.as_bytes())));
            about.extend(paragraph(&comment.text).map(|line| format!("    {line}")));
        }
    }
    let message = args.message.take(&session.folder, &context.at.directory, "", &about)?;
    let reply = ReplyTo {
        to: args.to.clone(),
        text: message.text.clone(),
        suggestion: args.change.take(&context.at.directory)?,
        draft: args.draft,
    };
    let outcome = session.write(reply);
    let reply = message.written(outcome)?;
    if context.is_json() {
        screen.json::<In<ReplyTo>>(&reply)?;
    } else {
        screen.written(&reply)?;
    }
    screen.close()
}
