//! `postil comment`

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use postil_client::Checkout;
use postil_protocol::{
    ByteText, Comment, MessagePlace, Place, RepositoryRequest, SeverityView, Side, Span, WrittenReply,
};

use super::batch::write_batch;
use crate::commands::Context;
use crate::commands::input::location::LocationArgs;
use crate::commands::input::message::MessageArgs;
use crate::commands::input::message_place::message_place;
use crate::commands::input::suggested_change::ChangeArgs;
use crate::connect::renamed;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// So many lines of what is commented on are shown in the editor.
const LINES_IN_EDITOR: usize = 20;

/// Comment on lines, a file, a commit's message, or the whole review
///
/// Lines are those of the file in the working tree, with its uncommitted changes.
/// Without a location, the comment is about the whole review of the branch. The
/// first comment on a branch starts a review. With `--message`, it is on lines of
/// a commit's message, and follows the commit when that is rewritten.
///
/// If you sign commits (commit.gpgSign, or postil.sign for reviews only), your
/// comments are signed with the same key.
///
/// Examples:
///
///     postil comment src/lib.rs:12 -m 'why saturating?'
///     postil comment src/lib.rs:12-20 --severity issue
///     postil comment src/lib.rs:12:5-12:20 -m 'this name'
///     postil comment src/old.rs:7 --side old -m 'do we not need this?'
///     postil comment src/lib.rs:12 @HEAD~2 -F notes.md
///     postil comment README.md --quote 'works offline' -m 'always?'
///     postil comment --message HEAD~2:3 -m 'since when?'
///     postil comment --batch findings.jsonl --draft
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CommentArgs {
    #[command(flatten)]
    location: LocationArgs,

    /// Comment on the message of this commit: REV, REV:LINE or REV:FROM-TO
    #[arg(long = "message", value_name = "REV", conflicts_with_all = ["quote", "patch", "with"])]
    on_message: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    change: ChangeArgs,

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

    /// Write many comments and replies from lines of JSON, `-` for standard input [see docs/agents.md]
    ///
    /// Each line has `path`, `lines`, `text`, and optionally `severity`, `suggestion`
    /// (the new text of the lines), `key` and `code`, or `reply_to` and `text`. At most
    /// 100 lines. Each is done or refused by itself; exits with 1 if one was refused.
    #[arg(long, value_name = "FILE", verbatim_doc_comment, conflicts_with_all =
        ["location", "on_message", "quote", "text", "file", "patch", "with", "severity", "tag", "review"])]
    batch: Option<PathBuf>,
}

/// A word on a comment, as it is meant or as it is shown: `#perf` is `perf`.
#[derive(Clone, Debug)]
pub struct Tag(String);

impl From<String> for Tag {
    fn from(word: String) -> Self {
        Self(word.strip_prefix('#').map(str::to_owned).unwrap_or(word))
    }
}

impl Tag {
    /// The words alone.
    pub fn words(tags: &[Self]) -> Vec<String> {
        tags.iter().map(|tag| tag.0.clone()).collect()
    }
}

/// Reads the word of a severity, of those that are known.
pub fn severity() -> impl TypedValueParser<Value = SeverityView> {
    let known = SeverityView::KNOWN
        .iter()
        .map(|severity| PossibleValue::new(severity.word()).help(severity.meaning().unwrap_or_default()));
    PossibleValuesParser::new(known).map(SeverityView::from)
}

/// Comments.
pub fn run(args: &CommentArgs, context: &Context) -> Result<(), Failure> {
    if let Some(file) = &args.batch {
        return write_batch(file, args.draft, context);
    }
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let place = args.location.place(session.checkout())?;
    let on_message = args.on_message.as_deref().map(message_place).transpose()?;
    if place.is_some() && on_message.is_some() {
        let what = "a location and `--message REV` cannot be used together";
        return Err(Failure::new(FailureKind::Usage, what).hint("the text of the comment is `-m TEXT`"));
    }
    if !args.message.is_given() {
        must_be_there(session.checkout(), place.as_ref())?;
        must_be_a_commit(session.checkout(), on_message.as_ref())?;
    }
    // Before somebody writes a text: a change that cannot be read would lose it.
    let suggestion = args.change.take(&context.at.directory)?;
    let mut about = place.as_ref().map(|place| quoted(session.checkout(), place)).unwrap_or_default();
    about.extend(args.on_message.as_ref().map(|on| format!("About the message of {}:", line(on.as_bytes()))));
    let message = args.message.take(&session, context, "", &about)?;
    let outcome = session.write(Comment {
        place,
        message: on_message,
        text: message.text.clone(),
        severity: args.severity.clone(),
        tags: Tag::words(&args.tag),
        review: args.review.clone(),
        suggestion,
        draft: args.draft,
    });
    let reply = message.written(outcome)?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Comment>>(&reply)?;
    } else {
        screen.written(&reply)?;
        screen.stored_change(&reply)?;
        if let Some(note) = uncommitted(&reply, args.draft) {
            screen.print_message(note);
        }
    }
    screen.close()
}

/// Which lines go along with a comment that no commit has.
pub fn uncommitted(reply: &WrittenReply, draft: bool) -> Option<String> {
    let lines: Vec<String> = reply.uncommitted_lines.iter().map(words_of_lines).collect();
    let when = if draft { "when you publish it" } else { "with the comment" };
    match &*lines {
        [] => (reply.uncommitted && !draft).then(|| {
            let what =
                "these lines, or lines next to them, are not committed; they are shared with the comment";
            format!("note: {what}")
        }),
        lines => Some(format!("note: not committed yet, and shared {when}: {}", lines.join(", "))),
    }
}

fn words_of_lines(span: &Span) -> String {
    if span.start == span.end {
        format!("line {}", span.start)
    } else {
        format!("lines {}-{}", span.start, span.end)
    }
}

/// Fails before an editor is opened if the file is not on disk; the service checks everything else.
fn must_be_there(checkout: &Checkout, place: Option<&Place>) -> Result<(), Failure> {
    let Some(place) = place.filter(|place| place.rev.is_none() && place.side == Side::New) else {
        return Ok(());
    };
    if checkout.file(place.path.as_bytes()).is_none_or(|file| file.symlink_metadata().is_ok()) {
        return Ok(());
    }
    let words = format!("no such file: {}", line(place.path.as_bytes()));
    let what = renamed(checkout, place.path.as_bytes(), &words);
    Err(Failure::new(FailureKind::NotFound, what)
        .hint("paths are relative to the current directory; `git ls-files` lists the tracked files"))
}

/// The same for a commit whose message is commented on: who types a text there means something else.
fn must_be_a_commit(checkout: &Checkout, place: Option<&MessagePlace>) -> Result<(), Failure> {
    let Some(place) = place.filter(|place| checkout.commit(&place.rev).is_none()) else { return Ok(()) };
    let what = format!("no such commit: {}", line(place.rev.as_bytes()));
    Err(Failure::new(FailureKind::NotFound, what)
        .hint("`--message` names a commit; the text of the comment is `-m TEXT`"))
}

/// The lines that are commented on, for the editor.
fn quoted(checkout: &Checkout, place: &Place) -> Vec<String> {
    let name = |path: &ByteText| line(path.as_bytes());
    let mut about = vec![format!("About {}:", name(&place.path))];
    let file = checkout.file(place.path.as_bytes()).filter(|file| place.rev.is_none() && file.is_file());
    let Some((span, file)) = place.span.zip(file) else {
        return about;
    };
    // If the file cannot be read here, the service reports it.
    let content = std::fs::read(file).unwrap_or_default();
    let lines = content.split(|byte| *byte == b'\n').enumerate();
    let first = span.start as usize - 1;
    let meant = lines.skip(first).take((span.end as usize - first).min(LINES_IN_EDITOR));
    about.extend(meant.map(|(at, bytes)| format!("{:>6} | {}", at + 1, line(bytes))));
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_severities_of_the_command_line_are_those_of_the_protocol() {
        let command = clap::Command::new("comment").arg(clap::Arg::new("severity").value_parser(severity()));
        let read = |word: &str| {
            let matches = command.clone().try_get_matches_from(["comment", word]).ok()?;
            matches.get_one::<SeverityView>("severity").cloned()
        };
        for known in SeverityView::KNOWN {
            assert_eq!(read(known.word()).as_ref(), Some(known));
        }
        assert_eq!(read("huge"), None);
    }
}
