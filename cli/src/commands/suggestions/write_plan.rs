//! From a plan to the files: shows it, checks it, and has it written.

use std::io::IsTerminal as _;

use postil_protocol::{
    ApplyWrite, ApplyWriteReply, ChangeInto, ConflictCode, ConflictView, Method, NotRecorded, PlanReply,
    SuggestionState, Undo, UndoMode,
};

use crate::commands::Context;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::Screen;

/// How files are written.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WriteArgs {
    /// Only check whether it can be applied; exit with 1 if not
    #[arg(long)]
    check: bool,

    /// Only show what would change, as a diff
    #[arg(long, visible_alias = "dry-run", conflicts_with = "check")]
    diff: bool,

    /// Also stage the files, which must match the index
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    index: bool,

    /// Fail if a file has changed since `--check` printed this token
    #[arg(long, value_name = "TOKEN")]
    expect: Option<String>,
}

impl WriteArgs {
    /// Where besides the files it goes.
    pub fn change_into(&self) -> ChangeInto {
        if self.index { ChangeInto::Index } else { ChangeInto::Files }
    }

    /// Whether nothing is written.
    pub fn is_look(&self) -> bool {
        self.check || self.diff
    }
}

/// Does with a plan what was asked for, and returns what was written; fails where it cannot be applied.
pub fn write(
    args: &WriteArgs,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
    reply: &mut PlanReply,
    what: &str,
    into: ChangeInto,
) -> Result<Option<ApplyWriteReply>, Failure> {
    if let Some(expected) = &args.expect {
        reply.check_token(expected).map_err(|fault| session.failed(fault.into()))?;
    }
    let text = !context.is_json();
    match reply.state {
        SuggestionState::Done => {
            if text {
                let are = if reply.suggestions.len() > 1 { "are" } else { "is" };
                screen.line(format!("{what} {are} already applied"))?;
            }
            if into != ChangeInto::Files && is_last(session, what) {
                screen.print_message(format!(
                    "note: nothing was {}; use git, or run `postil apply --undo` and try again",
                    if into == ChangeInto::Index { "staged" } else { "committed" }
                ));
            }
            return Ok(None);
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
        return Ok(None);
    }
    if args.check {
        if text {
            screen.line(format!("{what} can be applied ({})", reply.token))?;
        }
        return Ok(None);
    }
    let expect = args.expect.clone();
    let written = session.ask(ApplyWrite { plan: reply.clone(), expect, into })?;
    reply.written = true;
    reply.commit.clone_from(&written.commit);
    if text {
        screen.applied(reply)?;
    }
    if let Some(what) = written.not_recorded {
        let what = match what {
            NotRecorded::NotStaged => "staged",
            NotRecorded::NotCommitted => "committed",
        };
        return Err(Failure::new(
            FailureKind::Unavailable,
            format!("the files were written, but not {what}"),
        )
        .hint("see git's message above; to undo, run `postil apply --undo`"));
    }
    if reply.files.iter().any(|file| file.conflicted) {
        let were = if reply.suggestions.len() > 1 { "were" } else { "was" };
        return Err(Failure::new(FailureKind::Conflict, format!("{what} {were} applied with conflicts"))
            .hint("resolve the conflict markers, or run `postil apply --undo`"));
    }
    Ok(Some(written))
}

/// Whether `what` was applied last, and can be taken back.
fn is_last(session: &mut CommandSession, what: &str) -> bool {
    session.ask(Undo { mode: UndoMode::Look }).is_ok_and(|last| last.what == what)
}

/// Says which suggestions were left out and why; fails if there are any.
pub fn left_out(
    args: &WriteArgs,
    context: &Context,
    screen: &mut Screen,
    reply: &PlanReply,
) -> Result<(), Failure> {
    let changing = reply.suggestions.iter().filter(|said| said.state != SuggestionState::Done).count();
    let (done, out) = (reply.suggestions.len() - changing, reply.left_out.len());
    if !context.is_json() {
        screen.left_out(&reply.left_out, &reply.conflicts)?;
        if !args.is_look() {
            let counts = [(changing, "applied"), (done, "already applied"), (out, "left out")];
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
            if reply.suggestions.len() + out > 1 {
                // What was done comes first.
                screen.flush()?;
                screen.print_message(counts.join(", "));
            }
        }
    }
    if out == 0 {
        return Ok(());
    }
    let kind = if args.check { FailureKind::CheckFailed } else { FailureKind::Conflict };
    let all = out + reply.suggestions.len();
    let (is, them) = if out == 1 { ("was", "it") } else { ("were", "them") };
    let words = if args.is_look() { "cannot be".to_owned() } else { format!("{is} not") };
    let what = format!("{out} of {all} suggestions {words} applied");
    Err(Failure::new(kind, what)
        .hint(format!("apply {them} by ID, which explains more; `--3way` writes conflict markers")))
}

/// Prints the result as JSON, also if nothing was applied, and closes the output.
pub fn print_reply<M: Method>(
    context: &Context,
    mut screen: Screen,
    reply: &M::Answer,
    outcome: Result<(), Failure>,
) -> Result<(), Failure> {
    let outcome = match outcome {
        outcome if !context.is_json() => outcome,
        Ok(()) => screen.json::<M>(reply),
        Err(failure) => screen.json_failed::<M>(reply, &failure).and(Err(failure.in_result())),
    };
    screen.close()?;
    outcome
}

/// Why nothing was written, and what can be done.
fn refused(args: &WriteArgs, reply: &PlanReply, what: &str) -> Failure {
    let kind = if args.check { FailureKind::CheckFailed } else { FailureKind::Conflict };
    let were = if reply.suggestions.len() > 1 { "were" } else { "was" };
    let failure = Failure::new(kind, format!("{what} {were} not applied"));
    if let Some((one, other)) =
        reply.conflicts.iter().find_map(|why| Some((why.other.as_ref()?, &why.suggestion)))
    {
        let other = other.as_deref().unwrap_or_default();
        return failure
            .because(format!("{one} and {other} change the same lines"))
            .hint("no file was changed; apply one of them first, then check the other");
    }
    if reply.conflicts.iter().any(|why| why.path.is_none()) {
        return failure
            .because("the patch does not name a file")
            .hint("no file was changed; name the file with `--path FILE`");
    }
    // If there are no lines to compare, the conflict is of another kind, and the first one is shown.
    let other = reply.conflicts.iter().find(|why| why.expected.is_empty() && why.actual.is_empty());
    let failure = failure.because(match other {
        Some(ConflictView { path: Some(path), why, .. }) => {
            format!("{}: {why}", String::from_utf8_lossy(path.as_bytes()))
        }
        _ if reply.conflicts.iter().all(|why| why.code == ConflictCode::Marked) => {
            "the file still contains conflict markers".to_owned()
        }
        _ => "the expected lines were not found".to_owned(),
    });
    match reply.suggestions.as_slice() {
        [] => failure.hint("no file was changed; make a new patch for the current files"),
        _ if reply.conflicts.iter().any(|why| why.code == ConflictCode::Marked) => {
            failure.hint("no file was changed; resolve the conflict markers, or run `postil apply --undo`")
        }
        _ if other.is_some() => failure.hint("no file was changed"),
        _ if reply.conflicts.iter().all(|why| why.code == ConflictCode::Touch) => {
            failure.hint("no file was changed; to apply next to the changed lines, use `--lenient`")
        }
        [_] => failure.hint("no file was changed; to write conflict markers, use `--3way`"),
        _ => failure
            .hint("no file was changed; apply those without conflicts first, and the others with `--3way`"),
    }
}
