//! `postil suggest`

use std::io::IsTerminal as _;

use postil_client::Checkout;
use postil_protocol::{ByteText, Comment, Place, RepositoryRequest, SeverityView, Side, Suggest};

use crate::commands::Context;
use crate::commands::comments::comment::{Tag, severity, uncommitted};
use crate::commands::input::editor;
use crate::commands::input::location::LocationArgs;
use crate::commands::input::message::MessageArgs;
use crate::commands::input::suggested_change::ChangeArgs;
use crate::failure::{Failure, FailureKind};

/// The file that lines are changed in.
const SUGGESTION: &str = "POSTIL_SUGGESTION";

/// Suggest a change
///
/// The change is stored with the comment and follows the code as it changes;
/// `postil apply` applies it. It can replace lines, patch several files, or
/// restore deleted lines: `--with FILE` has the new lines, `--patch FILE` a patch
/// in any format that `postil patch apply` reads. The words of the comment are
/// given with `-m` or `-F`. A comment with a ```suggestion block is a suggestion
/// too. The stored change is printed as a diff.
///
/// Examples:
///
///     postil suggest src/lib.rs:12 --with better.rs -m 'shorter'
///     postil suggest src/lib.rs:12-14 -e
///     git diff | postil suggest --patch - -m 'what I mean'
///     postil suggest src/old.rs:7 --side old -m 'we still need this'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct SuggestArgs {
    #[command(flatten)]
    location: LocationArgs,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    change: ChangeArgs,

    /// Edit the lines in your editor
    #[arg(short, long, conflicts_with_all = ["patch", "with"])]
    edit: bool,

    /// Severity of the comment
    #[arg(long, value_name = "SEVERITY", value_parser = severity())]
    severity: Option<SeverityView>,

    /// Add a tag (can be repeated)
    #[arg(long, value_name = "TAG")]
    tag: Vec<Tag>,

    /// Add it to this review (ID or branch)
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Save it as a draft, which is not shared until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Suggests.
pub fn run(args: &SuggestArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let place = args.location.place(session.checkout())?;
    let message =
        if args.message.is_given() { Some(args.message.take(&session, context, "", &[])?) } else { None };
    let text = message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
    let given = args.change.take(&context.at.directory)?;
    let is_typed = given.is_none();
    let has_block =
        text.lines().any(|line| line.trim_start_matches([' ', '`', '~']).starts_with("suggestion"));
    let suggestion = match (given, &place) {
        (Some(given), _) => Some(given),
        (None, Some(_)) if args.edit && !editor::may_open(&session, context) => {
            let failure = Failure::new(FailureKind::Usage, "a program gets no editor");
            return Err(failure.hint("give the new lines with `--with FILE`"));
        }
        (None, Some(place)) if args.edit => Some(edited(session.checkout(), place)?),
        (None, _) if has_block => None,
        (None, Some(place)) if place.side == Side::Old => Some(Suggest::PutBack),
        (None, Some(place)) if std::io::stdin().is_terminal() => Some(edited(session.checkout(), place)?),
        (None, _) => {
            return Err(Failure::new(FailureKind::Usage, "no change given")
                .hint("use `--patch FILE`, `--with FILE`, or `-e` to edit the lines"));
        }
    };
    let typed = match &suggestion {
        Some(Suggest::Replacement(typed)) if is_typed => Some(typed.clone()),
        _ => None,
    };
    let outcome = session.write(Comment {
        place,
        message: None,
        text,
        severity: args.severity.clone(),
        tags: Tag::words(&args.tag),
        review: args.review.clone(),
        suggestion,
        draft: args.draft,
    });
    let outcome = outcome.map_err(|failure| match &typed {
        Some(typed) => keeping(failure, session.checkout(), typed),
        None => failure,
    });
    let reply = match &message {
        Some(message) => message.written(outcome)?,
        None => outcome?,
    };
    if context.is_json() {
        screen.json::<RepositoryRequest<Comment>>(&reply)?;
    } else {
        screen.written(&reply)?;
        screen.stored_change(&reply)?;
        if !reply.uncommitted_lines.is_empty()
            && let Some(note) = uncommitted(&reply, args.draft)
        {
            screen.print_message(note);
        }
        if reply.uncommitted && !args.draft {
            screen.print_message(
                "note: the files are not committed; others can apply this only after you push them",
            );
        }
    }
    screen.close()
}

/// Keeps lines that a person changed and that were not written, and says where.
fn keeping(failure: Failure, checkout: &Checkout, typed: &ByteText) -> Failure {
    let file = checkout.git_dir().join(SUGGESTION);
    match std::fs::write(&file, typed.as_bytes()) {
        Ok(()) => failure.also(format!("your change is saved in {}; use it with `--with`", file.display())),
        Err(_) => failure,
    }
}

/// The lines as the person changed them.
fn edited(checkout: &Checkout, place: &Place) -> Result<Suggest, Failure> {
    if place.side == Side::Old {
        return Err(Failure::new(FailureKind::Usage, "cannot edit deleted lines").hint(
            "without `-e`, the lines are restored as they were; to suggest others, use `--with FILE`",
        ));
    }
    let content = content(checkout, place)?;
    let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    let initial = match place.span {
        None => content.clone(),
        Some(span) if span.start_column.is_some() => {
            return Err(Failure::new(FailureKind::Usage, "cannot edit part of a line; give whole lines"));
        }
        Some(span) => {
            let (first, last) = (span.start as usize - 1, span.end as usize);
            let wanted = lines.get(first..last).ok_or_else(|| {
                Failure::new(FailureKind::NotFound, format!("the file has only {} lines", lines.len()))
            })?;
            wanted.concat()
        }
    };
    let file = checkout.git_dir().join(SUGGESTION);
    let written = editor::change(&file, checkout.git_dir(), &initial)?;
    if written == initial {
        return Err(Failure::new(FailureKind::Usage, "nothing was changed, so nothing was suggested"));
    }
    Ok(Suggest::Replacement(ByteText::new(written)))
}

/// The file, on disk or in the commit that was named.
fn content(checkout: &Checkout, place: &Place) -> Result<Vec<u8>, Failure> {
    let name = String::from_utf8_lossy(place.path.as_bytes()).into_owned();
    let failed = || Failure::new(FailureKind::NotFound, format!("could not read {name}"));
    match (&place.rev, checkout.work_tree()) {
        (None, Some(root)) => {
            let relative: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(place.path.as_bytes());
            std::fs::read(root.join(relative)).map_err(|error| failed().because(error))
        }
        (rev, _) => {
            let rev = rev.as_deref().unwrap_or("HEAD");
            let handle = checkout.repository().handle();
            let found = handle.rev_parse_single(format!("{rev}:{name}").as_str());
            let found = found.map_err(|error| failed().because(error))?;
            Ok(found.object().map_err(|error| failed().because(error))?.detach().data)
        }
    }
}
