//! `postil apply`

use postil_protocol::{
    Apply, In, OnConflict, PlanReply, Skipped, Strictness, SuggestionState, TakenBack, WayBack,
};

use super::Context;
use super::writing::{self, Record, WriteArgs};
use crate::connect::CommandSession;
use crate::failure::{Failure, Kind};
use crate::files;
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
        return skipped(files::skip(session.checkout()), context, screen);
    }
    if args.undo {
        return taken_back(files::undo(session.checkout()), context, screen);
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
    let record = if args.commit { Record::Commit(message(&reply, &session)) } else { args.write.record() };
    let names: Vec<&str> = reply.suggestions.iter().map(|said| said.short.as_str()).collect();
    let what = names.join(", ");
    if reply.state == SuggestionState::Pending {
        let failure = Failure::new(Kind::Unavailable, format!("{what} cannot be applied here"))
            .because("the files that it was made for are in no repository that this one was synced with")
            .hint("ask its author to push them, then run `git fetch` and `postil sync`")
            .coded("pending");
        return writing::told::<In<Apply>>(context, screen, Some(&reply), Err(failure));
    }
    let outcome =
        writing::write(&args.write, context, session.checkout(), &mut screen, &mut reply, &what, &record);
    writing::told::<In<Apply>>(context, screen, Some(&reply), outcome)
}

fn taken_back(
    undone: Result<WayBack, Failure>,
    context: &Context,
    mut screen: Screen,
) -> Result<(), Failure> {
    match undone {
        Err(failure) => writing::told::<In<Apply>>(context, screen, None, Err(failure)),
        Ok(way) if context.is_json() => {
            let files = way.files.into_iter().map(|file| file.path).collect();
            screen.json_done(&TakenBack { undone: way.what, files })?;
            screen.close()
        }
        Ok(way) => {
            screen.line(format!("took back {}", crate::render::line(way.what.as_bytes())))?;
            screen.close()
        }
    }
}

fn skipped(outcome: Result<String, Failure>, context: &Context, mut screen: Screen) -> Result<(), Failure> {
    match outcome {
        Err(failure) => writing::told::<In<Apply>>(context, screen, None, Err(failure)),
        Ok(what) if context.is_json() => {
            screen.json_done(&Skipped { skipped: what })?;
            screen.close()
        }
        Ok(what) => {
            screen.line(format!("left {} as it is", crate::render::line(what.as_bytes())))?;
            screen.close()
        }
    }
}

/// The message of the commit: who suggested what.
fn message(reply: &PlanReply, session: &CommandSession) -> String {
    let subject = match reply.suggestions.as_slice() {
        [one] => format!("Apply suggestion: {}", one.subject.trim()),
        many => format!("Apply {} suggestions", many.len()),
    };
    let mut subject: String = subject.chars().take(72).filter(|c| !c.is_control()).collect();
    let mut people: Vec<String> = Vec::new();
    for said in &reply.suggestions {
        let person = format!("{} <{}>", said.author.name, said.author.email);
        if session.email() != Some(said.author.email.as_str()) && !people.contains(&person) {
            people.push(person);
        }
    }
    let trailers: Vec<String> =
        people.into_iter().map(|person| format!("Co-authored-by: {person}")).collect();
    if !trailers.is_empty() {
        subject.push_str("\n\n");
        subject.push_str(&trailers.join("\n"));
    }
    subject
}
