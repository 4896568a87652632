//! `postil apply`

use postil_protocol::{
    Apply, ChangeInto, In, OnConflict, Skipped, Strictness, SuggestionState, TakenBack, Undo, UndoMode,
    UndoReply,
};

use super::Context;
use super::writing::{self, WriteArgs};
use crate::failure::{Failure, Kind};
use crate::render::Screen;

/// Apply suggestions to the files on disk
///
/// What happened since a change was suggested is taken into account: it lands
/// where it was meant, or is refused with the lines that were expected and those
/// that are there. All files are written, or none. Only files are written: the
/// index and HEAD stay as they are, unless you ask for more. Threads stay open;
/// `postil resolve` closes them.
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
    /// The comment that suggests it, or its thread: the first digits of an id, or `@` for the newest (can be repeated)
    #[arg(value_name = "ID", required_unless_present = "undo")]
    ids: Vec<String>,

    #[command(flatten)]
    write: WriteArgs,

    /// Let what only touches a suggestion stay beside it
    #[arg(long)]
    lenient: bool,

    /// Write both sides of a conflict into the file, between marks
    #[arg(long = "3way", id = "three_way", conflicts_with_all = ["index", "commit", "check"])]
    three_way: bool,

    /// Commit these files too, and nothing else
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    commit: bool,

    /// Take back what was last applied; again takes back what was applied before that
    #[arg(long, conflicts_with_all = ["ids", "lenient", "three_way", "commit", "check", "diff", "index", "expect"])]
    undo: bool,

    /// With `--undo`: leave what was last applied as it is, and forget how to take it back
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
        Err(failure) => return writing::told::<In<Apply>>(context, screen, None, Err(failure)),
    };
    let into = if args.commit { ChangeInto::Commit } else { args.write.change_into() };
    let names: Vec<&str> = reply.suggestions.iter().map(|said| said.short.as_str()).collect();
    let what = names.join(", ");
    if reply.state == SuggestionState::Pending {
        let failure = Failure::new(Kind::Unavailable, format!("{what} cannot be applied here"))
            .because("the files that it was made for are in no repository that this one was synced with")
            .hint("ask its author to push them, then run `git fetch` and `postil sync`")
            .coded("pending");
        return writing::told::<In<Apply>>(context, screen, Some(&reply), Err(failure));
    }
    let outcome = writing::write(&args.write, context, &mut session, &mut screen, &mut reply, &what, into);
    writing::told::<In<Apply>>(context, screen, Some(&reply), outcome)
}

fn taken_back(
    undone: Result<UndoReply, Failure>,
    context: &Context,
    mut screen: Screen,
) -> Result<(), Failure> {
    match undone {
        Err(failure) => writing::told::<In<Apply>>(context, screen, None, Err(failure)),
        Ok(last) if context.is_json() => {
            screen.json_done(&TakenBack { undone: last.what, files: last.files })?;
            screen.close()
        }
        Ok(last) => {
            screen.line(format!("took back {}", crate::render::line(last.what.as_bytes())))?;
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
        Err(failure) => writing::told::<In<Apply>>(context, screen, None, Err(failure)),
        Ok(last) if context.is_json() => {
            screen.json_done(&Skipped { skipped: last.what })?;
            screen.close()
        }
        Ok(last) => {
            screen.line(format!("left {} as it is", crate::render::line(last.what.as_bytes())))?;
            screen.close()
        }
    }
}
