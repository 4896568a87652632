//! `postil apply`

use postil_protocol::{
    Apply, ChangeInto, OnConflict, RepositoryRequest, Strictness, SuggestionState, Undo, UndoMode, UndoReply,
    UndoSkippedReply, UndoneReply,
};

use super::write_plan::{self, WriteArgs};
use crate::commands::Context;
use crate::failure::{Failure, FailureKind};
use crate::render::Screen;

/// Apply suggestions to the files in the working tree
///
/// The change is carried over to the code as it is now. If that is not possible,
/// nothing is written, and the conflicts are shown: the lines that were expected
/// and the lines that were found. Either all files are written or none. Without
/// --index or --commit, the index and HEAD are not changed. The threads stay
/// open; close them with `postil resolve`.
///
/// Examples:
///
///     postil apply 3f9c1a2
///     postil apply 3f9c1a2 77b0e4d --check
///     postil apply @ --commit
///     postil apply --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ApplyArgs {
    /// ID of the suggestion or its thread (a unique prefix is enough), or `@` for the newest (can be repeated)
    #[arg(value_name = "ID", required_unless_present = "undo")]
    ids: Vec<String>,

    #[command(flatten)]
    write: WriteArgs,

    /// Also apply if adjacent lines have changed
    #[arg(long)]
    lenient: bool,

    /// Write conflicts into the file with conflict markers
    #[arg(long = "3way", id = "three_way", conflicts_with_all = ["index", "commit", "check"])]
    three_way: bool,

    /// Also commit the files, and nothing else
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    commit: bool,

    /// Undo the last apply; repeat it to undo the one before
    #[arg(long, conflicts_with_all = ["ids", "lenient", "three_way", "commit", "check", "diff", "index", "expect"])]
    undo: bool,

    /// With `--undo`, keep the last apply and forget how to undo it
    #[arg(long, requires = "undo")]
    skip: bool,
}

/// Applies.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    if args.skip {
        return skipped(session.ask(Undo { mode: UndoMode::Skip }), context, screen);
    }
    if args.undo {
        return taken_back(session.ask(Undo::default()), context, screen);
    }
    let asked = session.ask(Apply {
        comments: args.ids.clone(),
        strictness: if args.lenient { Strictness::Lenient } else { Strictness::Strict },
        on_conflict: if args.three_way { OnConflict::Mark } else { OnConflict::Refuse },
    });
    let mut reply = match asked {
        Ok(reply) => reply,
        Err(failure) => {
            return write_plan::print_reply::<RepositoryRequest<Apply>>(context, screen, None, Err(failure));
        }
    };
    let into = if args.commit { ChangeInto::Commit } else { args.write.change_into() };
    let names: Vec<&str> = reply.suggestions.iter().map(|said| said.short.as_str()).collect();
    let what = names.join(", ");
    if reply.state == SuggestionState::Pending {
        let failure = Failure::new(FailureKind::Unavailable, format!("{what} cannot be applied here"))
            .because("the files it was made for are not in this repository")
            .hint("ask its author to push them, then run `git fetch` and `postil sync`")
            .coded("pending");
        return write_plan::print_reply::<RepositoryRequest<Apply>>(
            context,
            screen,
            Some(&reply),
            Err(failure),
        );
    }
    let outcome = write_plan::write(&args.write, context, &mut session, &mut screen, &mut reply, &what, into);
    write_plan::print_reply::<RepositoryRequest<Apply>>(context, screen, Some(&reply), outcome)
}

fn taken_back(
    undone: Result<UndoReply, Failure>,
    context: &Context,
    mut screen: Screen,
) -> Result<(), Failure> {
    match undone {
        Err(failure) => {
            write_plan::print_reply::<RepositoryRequest<Apply>>(context, screen, None, Err(failure))
        }
        Ok(last) if context.is_json() => {
            screen.json_done(&UndoneReply { undone: last.what, files: last.files, mark: last.mark })?;
            screen.close()
        }
        Ok(last) => {
            screen.line(format!("undid {}", crate::render::line(last.what.as_bytes())))?;
            screen.close()
        }
    }
}

fn skipped(
    outcome: Result<UndoReply, Failure>,
    context: &Context,
    mut screen: Screen,
) -> Result<(), Failure> {
    match outcome {
        Err(failure) => {
            write_plan::print_reply::<RepositoryRequest<Apply>>(context, screen, None, Err(failure))
        }
        Ok(last) if context.is_json() => {
            screen.json_done(&UndoSkippedReply { skipped: last.what, mark: last.mark })?;
            screen.close()
        }
        Ok(last) => {
            screen.line(format!("skipped the undo of {}", crate::render::line(last.what.as_bytes())))?;
            screen.close()
        }
    }
}
