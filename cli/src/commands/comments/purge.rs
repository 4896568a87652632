//! `postil purge`

use postil_protocol::{Purge, PurgeReply, RepositoryRequest};

use crate::advice;
use crate::commands::Context;
use crate::commands::input::choose_place;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// Permanently hide threads in every clone
///
/// For content that must not be seen, such as a password. The thread disappears
/// from every clone that syncs. The data stays in the history of
/// refs/notes/reviews until someone rewrites it. To take back a comment, use
/// `postil withdraw`.
///
/// Shows what would be purged and who wrote it, and asks for confirmation. Without
/// a terminal, or with --json, --force is required. For 90 days, a purge can be
/// undone with `postil doctor --restore`.
///
/// Examples:
///
///     postil purge 3f9c1a2
///     postil purge --force 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PurgeArgs {
    /// ID of a thread, reply or review (a unique prefix is enough; can be repeated)
    #[arg(value_name = "ID", required = true)]
    of: Vec<String>,

    /// Do not ask for confirmation
    #[arg(short, long)]
    force: bool,
}

/// Hides.
pub fn run(args: &PurgeArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let asked = Purge { of: args.of.clone(), force: args.force, confirmed: None };
    let mut reply = session.write(asked.clone())?;
    if !reply.done {
        let what = in_words(&reply);
        if context.is_json() || !choose_place::is_possible() {
            let why = if reply.others { "; others wrote some of it" } else { "" };
            return Err(Failure::new(FailureKind::Unsafe, "nothing was purged")
                .because(format!("{what} would be hidden in every clone{why}"))
                .hint("to purge without confirmation, use `--force`"));
        }
        screen.line(format!("this hides in every clone: {what}"))?;
        let said = screen.prompt("purge? [y/N] ")?;
        if !said.is_some_and(|said| matches!(said.trim(), "y" | "Y" | "yes")) {
            screen.print_message("nothing was purged");
            return screen.close();
        }
        reply = session.write(Purge { confirmed: Some(reply.records), ..asked })?;
    }
    if context.is_json() {
        screen.json::<RepositoryRequest<Purge>>(&reply)?;
    } else {
        let of = line(reply.of.join(", ").as_bytes());
        screen.line(format!("purged {of} ({})", in_words(&reply)))?;
        screen.print_message(
            "note: the data stays in the history of refs/notes/reviews until someone rewrites it",
        );
        if !reply.restore.is_empty() {
            let undo = advice::restore_command(&reply.restore);
            screen.print_message(format!("note: to undo the purge within 90 days, run `{undo}`"));
        }
    }
    screen.close()
}

/// What goes: how much, and of whom.
fn in_words(reply: &PurgeReply) -> String {
    let counts = [
        (reply.threads, "thread", "threads"),
        (reply.comments, "comment", "comments"),
        (reply.records, "record", "records"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let counts = counts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    let authors: Vec<String> = reply.authors.iter().map(|author| line(author.name.as_bytes())).collect();
    let by = if authors.is_empty() { String::new() } else { format!(" by {}", authors.join(", ")) };
    format!("{}{by}", counts.collect::<Vec<_>>().join(", "))
}
