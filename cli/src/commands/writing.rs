//! From a plan to the files: shows it, checks it, writes it, and perhaps stages or commits it.

use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use postil_client::Checkout;
use postil_protocol::{ConflictCode, ConflictView, Method, PlanReply, SuggestionState};

use super::Context;
use crate::failure::{Failure, Kind};
use crate::files::{self, Staging, git, no_git};
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

/// Where besides the files a change goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// Nowhere.
    Nowhere,
    /// Into the index.
    Index,
    /// Into a commit with this message.
    Commit(String),
}

impl WriteArgs {
    /// Where besides the files it goes.
    pub fn record(&self) -> Record {
        if self.index { Record::Index } else { Record::Nowhere }
    }
}

/// Does with a plan what was asked for; fails where it cannot be applied.
pub fn write(
    args: &WriteArgs,
    context: &Context,
    checkout: &Checkout,
    screen: &mut Screen,
    reply: &mut PlanReply,
    what: &str,
    record: &Record,
) -> Result<(), Failure> {
    if let Some(expected) = args.expect.as_ref().filter(|expected| **expected != reply.token) {
        return Err(Failure::new(Kind::Conflict, "the files changed since they were checked")
            .coded("changed-since-check")
            .because(format!("they were {expected} and are {}", reply.token))
            .hint("nothing was written; run it with `--check` again"));
    }
    let text = !context.is_json();
    match reply.state {
        SuggestionState::Done => {
            if text {
                let are = if reply.suggestions.len() > 1 { "are" } else { "is" };
                screen.line(format!("{what} {are} done already"))?;
            }
            if *record != Record::Nowhere && files::is_last(checkout, what) {
                screen.tell(format!(
                    "note: nothing was {}; do it with git, or run `postil apply --undo` and then this again",
                    if *record == Record::Index { "staged" } else { "committed" }
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
    stageable(checkout, reply, record)?;
    let staging = if *record == Record::Nowhere { Staging::No } else { Staging::Follows };
    files::land(checkout, &reply.files, what, staging)?;
    reply.written = true;
    if text {
        screen.applied(reply)?;
    }
    stage(checkout, reply, record)?;
    if reply.files.iter().any(|file| file.conflicted) {
        let are = if reply.suggestions.len() > 1 { "are" } else { "is" };
        return Err(Failure::new(Kind::Conflict, format!("{what} {are} applied but for conflicts"))
            .hint("choose between the marks, or run `postil apply --undo`"));
    }
    Ok(())
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

/// Fails where staging would take in what somebody else changed.
fn stageable(checkout: &Checkout, reply: &PlanReply, record: &Record) -> Result<(), Failure> {
    let (against, what) = match record {
        Record::Nowhere => return Ok(()),
        Record::Index => (None, "staged"),
        Record::Commit(_) => (Some("HEAD"), "committed"),
    };
    // Git commits no single files then, and would say so when they are written.
    let under_way = [("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick")];
    let git_dir = checkout.git_dir();
    let under_way = under_way.iter().find(|(name, _)| against.is_some() && git_dir.join(name).exists());
    if let Some((_, what)) = under_way {
        return Err(Failure::new(
            Kind::Conflict,
            format!("{what} is under way, and is committed as a whole"),
        )
        .hint("nothing was written; end it first, or apply to the files alone"));
    }
    let mut command = git(checkout, ["diff", "--quiet"]);
    command.args(against).arg("--").args(paths(reply));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::new(Kind::Conflict, format!("a file differs from what is {what}")).hint(
            "nothing was written; commit or stash your own changes first, or apply to the files alone",
        )),
        Err(error) => Err(no_git(error)),
    }
}

fn stage(checkout: &Checkout, reply: &PlanReply, record: &Record) -> Result<(), Failure> {
    let run = |command: &mut Command, what: &str| match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::new(Kind::Unavailable, format!("the files are written, but not {what}"))
            .hint("git tells why above; `postil apply --undo` takes them back")),
        Err(error) => Err(no_git(error)),
    };
    if *record == Record::Nowhere {
        return Ok(());
    }
    // As `git apply --index` does it: what a patch makes is meant to be there, ignored or not.
    run(git(checkout, ["add", "--all", "--force"]).arg("--").args(paths(reply)), "staged")?;
    if let Record::Commit(message) = record {
        let mut commit = git(checkout, ["commit", "--quiet"]);
        run(commit.args(["-m", message, "--only", "--"]).args(paths(reply)), "committed")?;
    }
    Ok(())
}

fn paths(reply: &PlanReply) -> impl Iterator<Item = &OsStr> {
    let both = reply.files.iter().flat_map(|file| {
        let to = file.to.as_ref().filter(|to| file.from.as_ref() != Some(*to));
        file.from.iter().chain(to)
    });
    both.map(|path| OsStr::from_bytes(path.as_bytes()))
}
