//! `postil reply`

use postil_protocol::{HeadName, ReplyTo, RepositoryRequest, Show};

use crate::commands::Context;
use crate::commands::input::message::MessageArgs;
use crate::commands::input::suggested_change::ChangeArgs;
use crate::commands::input::target::{Meant, to_change};
use crate::failure::Failure;
use crate::render::paragraph;

/// Reply to a comment
///
/// Examples:
///
///     postil reply 3f9c1a2 -m 'because it can be zero'
///     postil reply @ -F answer.md
///     postil reply 3f9c1a2 --with better.rs
///     postil reply src/lib.rs:12 -m 'done' --resolve
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ReplyArgs {
    /// Comment ID (a unique prefix is enough), `@` for the newest, or FILE:LINE
    #[arg(value_name = "ID")]
    to: String,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    change: ChangeArgs,

    /// Save it as a draft, which is not shared until `postil publish`
    #[arg(long)]
    draft: bool,

    /// Also mark the thread as resolved
    #[arg(long, conflicts_with = "draft")]
    resolve: bool,
}

/// Answers.
pub fn run(args: &ReplyArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let to = to_change(&args.to, Meant::Open, context, &mut session, &mut screen)?;
    let change = args.change.take(&context.at.directory)?;
    let mut about = Vec::new();
    if !args.message.is_given() && change.is_none() {
        let shown = session.ask(Show { of: to.clone(), head: HeadName::default(), ..Show::default() })?;
        for comment in &shown.thread.comments {
            about.push(format!("{}:", crate::render::person_name(&comment.author)));
            about.extend(paragraph(&comment.text).map(|line| format!("    {line}")));
        }
    }
    // A change says what it has to say, also without words.
    let message = if args.message.is_given() || change.is_none() {
        Some(args.message.take(&session, context, "", &about)?)
    } else {
        None
    };
    let text = message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
    let reply = ReplyTo { to, text, suggestion: change, draft: args.draft, resolve: args.resolve };
    let outcome = session.write(reply);
    let reply = match &message {
        Some(message) => message.written(outcome)?,
        None => outcome?,
    };
    if context.is_json() {
        screen.json::<RepositoryRequest<ReplyTo>>(&reply)?;
    } else {
        screen.written(&reply)?;
        screen.stored_change(&reply)?;
        if args.resolve {
            screen.named("resolved", &reply.thread)?;
        }
    }
    screen.close()
}
