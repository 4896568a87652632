//! `postil apply`

use postil_protocol::{
    Apply, ApplyWriteReply, ChangeInto, OnConflict, PlanReply, RepositoryRequest, Resolve, Strictness,
    SuggestionState, Undo, UndoMode, UndoReply, UndoSkippedReply, UndoneReply,
};

use super::write_plan::{self, WriteArgs};
use crate::commands::Context;
use crate::commands::input::target::{Meant, all_to_change};
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::Screen;

/// Apply suggestions to the files in the working tree
///
/// The change is carried over to the code as it is now. If that is not possible,
/// nothing is written, and the conflicts are shown: the lines that were expected
/// and the lines that were found. Either all files are written or none. Without
/// --index or --commit, the index and HEAD are not changed. The threads stay
/// open, unless --resolve is given.
///
/// With --all, all open suggestions of the review of this branch are applied,
/// the oldest first; on a branch without a review, those in `postil list`. Each
/// is applied as a whole or left out. Those that were left out are listed, with
/// the reason, and the exit code is 4.
///
/// Examples:
///
///     postil apply 3f9c1a2
///     postil apply 3f9c1a2 77b0e4d --check
///     postil apply @ --commit
///     postil apply --all --commit --resolve
///     postil apply --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ApplyArgs {
    /// ID of the suggestion or its thread (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required_unless_present_any = ["undo", "all"])]
    ids: Vec<String>,

    /// Apply all open suggestions that can be applied
    #[arg(short, long, conflicts_with_all = ["ids", "three_way"])]
    all: bool,

    #[command(flatten)]
    write: WriteArgs,

    /// Also apply if adjacent lines have changed
    #[arg(long)]
    lenient: bool,

    /// Write conflicts into the file with conflict markers
    #[arg(long = "3way", id = "three_way", conflicts_with_all = ["index", "commit", "check"])]
    three_way: bool,

    /// Also commit the files, and nothing else; trailers name the authors and the threads
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    commit: bool,

    /// Also mark the threads as resolved; with --commit, by that commit
    #[arg(long, conflicts_with_all = ["check", "diff", "three_way"])]
    resolve: bool,

    /// Undo the last apply; repeat it to undo the one before
    #[arg(long, conflicts_with_all = ["ids", "all", "lenient", "three_way", "commit", "resolve", "check", "diff", "index", "expect"])]
    undo: bool,

    /// With `--undo`, keep the last apply and forget how to undo it
    #[arg(long, requires = "undo")]
    skip: bool,
}

/// Applies.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    if args.skip {
        return skipped(&session.ask(Undo { mode: UndoMode::Skip })?, context, screen);
    }
    if args.undo {
        return taken_back(session.ask(Undo::default())?, context, screen);
    }
    if args.resolve {
        session.must_know_author()?;
    }
    let comments = if args.write.is_look() {
        args.ids.clone()
    } else {
        all_to_change(&args.ids, Meant::Open, context, &mut session, &mut screen)?
    };
    let mut reply = session.ask(Apply {
        comments,
        all: args.all,
        strictness: if args.lenient { Strictness::Lenient } else { Strictness::Strict },
        on_conflict: if args.three_way { OnConflict::Mark } else { OnConflict::Refuse },
    })?;
    let outcome = done(args, context, &mut session, &mut screen, &mut reply);
    write_plan::print_reply::<RepositoryRequest<Apply>>(context, screen, &reply, outcome)
}

/// Does with the plan what was asked for.
fn done(
    args: &ApplyArgs,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
    reply: &mut PlanReply,
) -> Result<(), Failure> {
    let names: Vec<&str> = reply.suggestions.iter().map(|said| said.short.as_str()).collect();
    let what = names.join(", ");
    if reply.suggestions.is_empty() && reply.left_out.is_empty() {
        screen.print_message("no open suggestions");
        return Ok(());
    }
    if reply.state == SuggestionState::Pending && !args.all {
        return Err(Failure::new(FailureKind::Unavailable, format!("{what} cannot be applied here"))
            .because("the files it was made for are not in this repository")
            .hint("ask its author to push them, then run `git fetch` and `postil sync`")
            .coded("pending"));
    }
    let into = if args.commit { ChangeInto::Commit } else { args.write.change_into() };
    if !args.all || !reply.suggestions.is_empty() {
        let written = write_plan::write(&args.write, context, session, screen, reply, &what, into)?;
        if args.resolve {
            resolve(written.as_ref(), context, session, screen, reply)?;
        }
    }
    write_plan::left_out(&args.write, context, screen, reply)
}

/// Resolves the threads of what is applied now: by the commit that was made, unless it was applied before.
fn resolve(
    written: Option<&ApplyWriteReply>,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
    reply: &mut PlanReply,
) -> Result<(), Failure> {
    let commit = written.and_then(|written| written.commit.clone());
    let (before, now): (Vec<_>, Vec<_>) =
        reply.suggestions.iter().partition(|said| said.state == SuggestionState::Done);
    let mut resolved = Vec::new();
    for (these, by) in [(now, commit), (before, None)].into_iter().filter(|(these, _)| !these.is_empty()) {
        let threads: Vec<String> = these.iter().map(|said| said.thread.to_string()).collect();
        let by = by.map(|commit| commit.to_string());
        let done = session.write(Resolve { threads, reason: None, by: by.clone() }).map_err(|failure| {
            let shorts: Vec<&str> = these.iter().map(|said| said.short.as_str()).collect();
            let by = by.map(|by| format!(" --by {by}")).unwrap_or_default();
            failure
                .also("the files were written, but the threads were not resolved")
                .hint(format!("to resolve them, run `postil resolve {}{by}`", shorts.join(" ")))
        })?;
        if !context.is_json() {
            screen.status_set("resolved", "already resolved:", &done)?;
        }
        resolved.extend(done.threads.into_iter().map(|thread| thread.id));
    }
    reply.resolved = resolved;
    Ok(())
}

fn taken_back(last: UndoReply, context: &Context, mut screen: Screen) -> Result<(), Failure> {
    if context.is_json() {
        screen.json_done(&UndoneReply { undone: last.what, files: last.files, mark: last.mark })?;
    } else {
        screen.line(format!("undid {}", crate::render::line(last.what.as_bytes())))?;
    }
    screen.close()
}

fn skipped(last: &UndoReply, context: &Context, mut screen: Screen) -> Result<(), Failure> {
    if context.is_json() {
        screen.json_done(&UndoSkippedReply { skipped: last.what.clone(), mark: last.mark.clone() })?;
    } else {
        screen.line(format!("skipped the undo of {}", crate::render::line(last.what.as_bytes())))?;
    }
    screen.close()
}
