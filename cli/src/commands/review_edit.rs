//! `postil review edit`

use postil_protocol::{ReviewEdit, ReviewReply, ReviewShow, ReviewView};

use super::Context;
use super::input::message::MessageArgs;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// Change the title, the description, the branch or the base of a review
///
/// Without options, your editor opens: the first line is the title, the rest is
/// the description. If the review is someone else's, your text is shown next to
/// theirs as a proposal.
///
/// Examples:
///
///     postil review edit
///     postil review edit --title 'Saturating arithmetic' -m 'see the RFC'
///     postil review edit topic --base next
///     postil review edit --branch topic-2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct RewordArgs {
    /// Review ID or branch [default: the current review]
    review: Option<String>,

    /// Title of the review
    #[arg(long)]
    title: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    /// Branch with the work under review
    #[arg(long)]
    branch: Option<String>,

    /// Base of the review: a branch, tag or full ref name
    #[arg(long, value_name = "REF")]
    base: Option<String>,
}

impl RewordArgs {
    /// Changes the review, and returns it as it is then.
    pub fn run(&self, session: &mut CommandSession, context: &Context) -> Result<ReviewReply, Failure> {
        session.must_know_author()?;
        let asked = ReviewEdit {
            review: self.review.clone(),
            title: self.title.clone(),
            description: None,
            branch: self.branch.clone(),
            base: self.base.clone(),
        };
        let is_told = [&self.title, &self.branch, &self.base].iter().any(|word| word.is_some());
        if is_told || self.message.is_given() {
            let description = self.message.given(&context.at.directory)?;
            return session.write(ReviewEdit { description, ..asked });
        }
        let shown = session.ask(ReviewShow { review: self.review.clone() })?.review;
        let message = self.message.take(session, context, &editable_text(&shown), &about(&shown))?;
        let (title, description) = parts(&message.text).ok_or_else(nothing_to_write)?;
        // The one that was shown is meant, also if another branch is checked out by now.
        let review = Some(shown.id.to_string());
        let edit = ReviewEdit { review, title: Some(title), description: Some(description), ..asked };
        let outcome = session.write(edit);
        message.written(outcome)
    }
}

/// What a review says, as a text to edit.
fn editable_text(review: &ReviewView) -> String {
    match review.description.trim_end() {
        "" => review.title.clone(),
        description => format!("{}\n\n{description}", review.title),
    }
}

/// What a person should know who edits it.
fn about(review: &ReviewView) -> Vec<String> {
    let short = |name: &[u8]| line(name.strip_prefix(b"refs/heads/").unwrap_or(name));
    vec![
        "The first line is the title of the review, the rest its description.".to_owned(),
        format!("About {} into {}.", short(review.branch.as_bytes()), short(review.base.as_bytes())),
    ]
}

/// The title and the description of a text; `None` of one that says nothing.
fn parts(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let (title, description) = text.split_once('\n').unwrap_or((text, ""));
    (!title.is_empty()).then(|| (title.trim_end().to_owned(), description.trim().to_owned()))
}

fn nothing_to_write() -> Failure {
    Failure::new(FailureKind::Usage, "the text is empty; nothing was saved").hint("use `--title TEXT`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_title_and_the_rest_the_description() {
        let check = |text: &str, title: &str, description: &str| {
            assert_eq!(parts(text), Some((title.to_owned(), description.to_owned())), "{text:?}");
        };
        check("one", "one", "");
        check("\n\none  \n\ntwo\n\nthree\n\n", "one", "two\n\nthree");
        check("one\ntwo", "one", "two");
        assert_eq!(parts(" \n\n"), None);
    }
}
