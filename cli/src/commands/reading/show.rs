//! `postil show`

use postil_protocol::{HeadName, MarkRead, RepositoryRequest, Show, ShowReply};

use super::compact::print_shown;
use crate::commands::Context;
use crate::commands::input::target::to_read;
use crate::connect::CommandSession;
use crate::failure::Failure;

/// Show a thread with all its comments
///
/// Shows the lines it is on now, the original lines if they have changed, and all
/// comments, with who resolved, reopened, moved or withdrew it in between, and why.
/// For signed comments, shows whether the signature is valid, and whose key it is.
/// Marks the thread as read.
///
/// Examples:
///
///     postil show 3f9c1a2
///     postil show src/lib.rs:12
///     postil show @ --at main
///     postil show @ --compact
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ShowArgs {
    /// ID of a thread or of a comment in it (a unique prefix is enough), `@` for the newest, FILE:LINE or FILE
    #[arg(value_name = "ID", default_value = "@")]
    of: Vec<String>,

    /// Show its position at this commit instead of in the working tree
    #[arg(long, value_name = "REV")]
    at: Option<String>,

    /// Print few words, for agents, each comment in a block that its text cannot close
    #[arg(long)]
    compact: bool,
}

/// Shows.
pub fn run(args: &ShowArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let head = args.at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    let mut replies = Vec::new();
    let syntax = screen.is_coloured() && !context.is_json();
    for name in &args.of {
        for of in to_read(name, &mut session)? {
            replies.push(session.ask(Show { of, head: head.clone(), syntax })?);
        }
    }
    if !context.is_json() && !args.compact {
        screen.page();
    }
    for (at, reply) in replies.iter().enumerate() {
        if args.compact {
            print_shown(reply, &mut screen)?;
            continue;
        }
        if context.is_json() {
            screen.json::<RepositoryRequest<Show>>(reply)?;
            continue;
        }
        if at > 0 {
            screen.line("")?;
        }
        screen.show(reply)?;
    }
    if !context.is_json() {
        mark_read(&replies, &mut session);
    }
    screen.close()
}

/// Marks the threads as read that a person saw; a program that reads for them is not the person.
fn mark_read(replies: &[ShowReply], session: &mut CommandSession) {
    if session.is_program() {
        return;
    }
    let threads = replies.iter().map(|reply| reply.thread.id.to_string()).collect();
    let shown = replies.first().map(|reply| reply.mark.clone());
    // They were shown; if that cannot be written down, they are shown as unread again.
    let _ = session.ask(MarkRead { threads, shown, ..MarkRead::default() });
}
