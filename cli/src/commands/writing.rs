//! From a plan to the files: shows it, checks it, and has it written.

use std::io::IsTerminal as _;

use postil_protocol::{
    ApplyWrite, ChangeInto, ConflictCode, ConflictView, Method, NotRecorded, PlanReply, SuggestionState,
    Undo, UndoMode,
};

use super::Context;
use crate::connect::CommandSession;
use crate::failure::{Failure, Kind};
use crate::render::Screen;

/// How files are written.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WriteArgs {
    /// Only tell whether it can be applied: exits with 1 if not
    #[arg(long)]
    check: bool,

    /// Only show what would change
    #[arg(long, visible_alias = "dry-run", conflicts_with = "check")]
    diff: bool,

    /// Stage these files too; they must be as they are staged
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    index: bool,

    /// Refuse if a file changed since `--check` told this
    #[arg(long, value_name = "TOKEN")]
    expect: Option<String>,
}

impl WriteArgs {
    /// Where besides the files it goes.
    pub fn change_into(&self) -> ChangeInto {
        if self.index { ChangeInto::Index } else { ChangeInto::Files }
    }
}

/// Does with a plan what was asked for; fails where it cannot be applied.
pub fn write(
    args: &WriteArgs,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
    reply: &mut PlanReply,
    what: &str,
    into: ChangeInto,
) -> Result<(), Failure> {
    if let Some(expected) = &args.expect {
        reply.check_token(expected).map_err(|fault| session.failed(fault.into()))?;
    }
    let text = !context.is_json();
    match reply.state {
        SuggestionState::Done => {
            if text {
                let are = if reply.suggestions.len() > 1 { "are" } else { "is" };
                screen.line(format!("{what} {are} done already"))?;
            }
            if into != ChangeInto::Files && is_last(session, what) {
                screen.tell(format!(
                    "note: nothing was {}; do it with git, or run `postil apply --undo` and then this again",
                    if into == ChangeInto::Index { "staged" } else { "committed" }
                ));
            }
            return Ok(());
        }
        SuggestionState::Conflict if reply.files.is_empty() => {
            if text {
                screen.conflicts(&reply.conflicts, "")?;
            }
            return Err(refused(args, reply, what));
        }
        _ => {}
    }
    if text && (args.diff || (std::io::stdout().is_terminal() && !args.check)) {
        screen.planned(reply)?;
    }
    if args.diff {
        return Ok(());
    }
    if args.check {
        if text {
            screen.line(format!("{what} can be applied ({})", reply.token))?;
        }
        return Ok(());
    }
    let expect = args.expect.clone();
    let written = session.ask(ApplyWrite { plan: reply.clone(), expect, into })?;
    reply.written = true;
    if text {
        screen.applied(reply)?;
    }
    if let Some(what) = written.not_recorded {
        let what = match what {
            NotRecorded::NotStaged => "staged",
            NotRecorded::NotCommitted => "committed",
        };
        return Err(Failure::new(Kind::Unavailable, format!("the files are written, but not {what}"))
            .hint("git tells why above; `postil apply --undo` takes them back"));
    }
    if reply.files.iter().any(|file| file.conflicted) {
        let are = if reply.suggestions.len() > 1 { "are" } else { "is" };
        return Err(Failure::new(Kind::Conflict, format!("{what} {are} applied but for conflicts"))
            .hint("choose between the marks, or run `postil apply --undo`"));
    }
    Ok(())
}

/// Whether `what` was applied last, and can be taken back.
fn is_last(session: &mut CommandSession, what: &str) -> bool {
    session.ask(Undo { mode: UndoMode::Look }).is_ok_and(|last| last.what == what)
}

/// Tells programs what came of it, also where nothing did, and ends the output.
pub fn told<M: Method>(
    context: &Context,
    mut screen: Screen,
    reply: Option<&M::Answer>,
    outcome: Result<(), Failure>,
) -> Result<(), Failure> {
    if context.is_json() {
        match (&outcome, reply) {
            (Ok(()), Some(reply)) => screen.json::<M>(reply)?,
            (Err(failure), reply) => screen.json_failed::<M>(reply, failure)?,
            (Ok(()), None) => {}
        }
    }
    screen.close()?;
    outcome
}

/// Why nothing was written, and what can be done.
fn refused(args: &WriteArgs, reply: &PlanReply, what: &str) -> Failure {
    let kind = if args.check { Kind::CheckFailed } else { Kind::Conflict };
    let were = if reply.suggestions.len() > 1 { "were" } else { "was" };
    let failure = Failure::new(kind, format!("{what} {were} not applied"));
    if let Some((one, other)) =
        reply.conflicts.iter().find_map(|why| Some((why.other.as_ref()?, &why.suggestion)))
    {
        let other = other.as_deref().unwrap_or_default();
        return failure.because(format!("{one} and {other} change the same place")).hint(
            "no file was changed; apply one of the two, look at it, and then see whether you want the other",
        );
    }
    if reply.conflicts.iter().any(|why| why.path.is_none()) {
        return failure
            .because("the patch names no file")
            .hint("no file was changed; say with `--path FILE` which one is meant");
    }
    // Where there are no lines to compare, something else is in the way, and the first of it is told.
    let other = reply.conflicts.iter().find(|why| why.expected.is_empty() && why.actual.is_empty());
    let failure = failure.because(match other {
        Some(ConflictView { path: Some(path), why, .. }) => {
            format!("{}: {why}", String::from_utf8_lossy(path.as_bytes()))
        }
        _ if reply.conflicts.iter().all(|why| why.code == ConflictCode::Marked) => {
            "the marks of a conflict are still in the file".to_owned()
        }
        _ => "what stands there is not what is expected".to_owned(),
    });
    match reply.suggestions.as_slice() {
        [] => failure.hint("no file was changed; the patch must be made anew for the files as they are"),
        _ if reply.conflicts.iter().any(|why| why.code == ConflictCode::Marked) => {
            failure.hint("no file was changed; choose between the marks, or run `postil apply --undo`")
        }
        _ if other.is_some() => failure.hint("no file was changed"),
        _ if reply.conflicts.iter().all(|why| why.code == ConflictCode::Touch) => {
            failure.hint("no file was changed; `--lenient` leaves both, one beside the other")
        }
        [_] => failure.hint("no file was changed; `--3way` writes both sides into the file, between marks"),
        _ => failure.hint(
            "no file was changed; apply those without a conflict by themselves, and these with `--3way`",
        ),
    }
}
