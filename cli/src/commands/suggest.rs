//! `postil suggest`

use std::io::IsTerminal as _;

use postil_client::Checkout;
use postil_protocol::{ByteText, Comment, In, Place, SeverityView, Side, Suggest};

use super::change::ChangeArgs;
use super::comment::{Tag, severity};
use super::location::LocationArgs;
use super::message::MessageArgs;
use super::{Context, editor};
use crate::failure::{Failure, Kind};

/// Suggest a change
///
/// The change is kept with the comment and carried along as the code moves on;
/// `postil apply` applies it. It can be text for lines, a patch of several files,
/// or deleted lines that are to come back. A patch may be one that a language
/// model wrote. A comment whose text has a block called `suggestion` suggests a
/// change as well.
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

    /// Change the lines in your editor
    #[arg(short, long, conflicts_with_all = ["patch", "with"])]
    edit: bool,

    /// How much it weighs
    #[arg(long, value_name = "WEIGHT", value_parser = severity())]
    severity: Option<SeverityView>,

    /// Put a word on it, for finding it again (can be repeated)
    #[arg(long, value_name = "WORD")]
    tag: Vec<Tag>,

    /// Put it into this review, named by its id or its branch
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Keep it here until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Suggests.
pub fn run(args: &SuggestArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let place = args.location.place(session.checkout())?;
    let text = if args.message.is_given() {
        args.message.take(session.checkout(), &context.at.directory, "", &[])?.text
    } else {
        String::new()
    };
    let given = args.change.take(&context.at.directory)?;
    let has_block =
        text.lines().any(|line| line.trim_start_matches([' ', '`', '~']).starts_with("suggestion"));
    let suggestion = match (given, &place) {
        (Some(given), _) => Some(given),
        (None, Some(place)) if args.edit => Some(edited(session.checkout(), place)?),
        (None, _) if has_block => None,
        (None, Some(place)) if place.side == Side::Old => Some(Suggest::PutBack),
        (None, Some(place)) if std::io::stdin().is_terminal() => Some(edited(session.checkout(), place)?),
        (None, _) => {
            return Err(Failure::new(Kind::Usage, "no change is given")
                .hint("give one with `--patch FILE` or `--with FILE`, or make one with `-e`"));
        }
    };
    let reply = session.write(Comment {
        place,
        text,
        severity: args.severity.clone(),
        tags: Tag::words(&args.tag),
        review: args.review.clone(),
        suggestion,
        draft: args.draft,
    })?;
    if context.is_json() {
        screen.json::<In<Comment>>(&reply)?;
    } else {
        screen.written(&reply)?;
        if reply.uncommitted && !args.draft {
            screen.tell("note: the files are not committed; others can apply it once they have them");
        }
    }
    screen.close()
}

/// The lines as the person changed them.
fn edited(checkout: &Checkout, place: &Place) -> Result<Suggest, Failure> {
    if place.side == Side::Old {
        return Err(Failure::new(Kind::Usage, "deleted lines cannot be changed in an editor")
            .hint("without `-e` they are put back as they were; `--with FILE` gives others"));
    }
    let content = content(checkout, place)?;
    let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    let initial = match place.span {
        None => content.clone(),
        Some(span) if span.start_column.is_some() => {
            return Err(Failure::new(Kind::Usage, "whole lines are changed in an editor, not parts of them"));
        }
        Some(span) => {
            let (first, last) = (span.start as usize - 1, span.end as usize);
            let wanted = lines.get(first..last).ok_or_else(|| {
                Failure::new(Kind::NotFound, format!("the file has only {} lines", lines.len()))
            })?;
            wanted.concat()
        }
    };
    let file = checkout.git_dir().join("POSTIL_SUGGESTION");
    let written = editor::change(&file, checkout.git_dir(), &initial)?;
    if written == initial {
        return Err(Failure::new(Kind::Usage, "nothing was changed, and so nothing was suggested"));
    }
    Ok(Suggest::Replacement(ByteText::new(written)))
}

/// The file, on disk or in the commit that was named.
fn content(checkout: &Checkout, place: &Place) -> Result<Vec<u8>, Failure> {
    let name = String::from_utf8_lossy(place.path.as_bytes()).into_owned();
    let failed = || Failure::new(Kind::NotFound, format!("could not read {name}"));
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
