//! `postil review …`

use postil_protocol::{
    In, ReviewChange, ReviewList, ReviewReply, ReviewShow, ReviewSince, ReviewStart, ReviewStatus,
    ReviewVerdict, Verdict,
};

use super::Context;
use super::message::MessageArgs;
use super::reword::RewordArgs;
use crate::connect::CommandSession;
use crate::failure::Failure;

/// Begin, judge and end reviews
///
/// Examples:
///
///     postil review start --title 'Saturating arithmetic'
///     postil review show
///     postil review approve -m 'good to go'
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum ReviewCommand {
    /// Put a branch under review
    ///
    /// The first comment on a branch does that too.
    ///
    /// Examples:
    ///
    ///     postil review start --title 'Saturating arithmetic'
    ///     postil review start topic --base v1.2
    #[command(verbatim_doc_comment)]
    Start {
        /// The branch; without one, what is checked out
        branch: Option<String>,
        /// Compare it with this branch, tag or full name of a ref
        #[arg(long, value_name = "REF")]
        base: Option<String>,
        /// Call it this
        #[arg(long)]
        title: Option<String>,
        /// Say what it is about, in Markdown
        #[arg(short = 'm', long = "message", value_name = "TEXT")]
        description: Vec<String>,
        /// Keep it here until `postil publish`
        #[arg(long)]
        draft: bool,
    },
    /// List reviews, the newest first
    ///
    /// The one of what is checked out has a star.
    ///
    /// Examples:
    ///
    ///     postil review list
    ///     postil review list --all --json
    #[command(visible_alias = "ls", verbatim_doc_comment)]
    List {
        /// Also those that were merged or closed
        #[arg(short, long)]
        all: bool,
    },
    /// Show a review and what people think of it
    ///
    /// Of each person the last judgement, and what they said after it; with -v
    /// also what they thought before.
    ///
    /// Examples:
    ///
    ///     postil review show
    ///     postil review show topic -v
    #[command(verbatim_doc_comment)]
    Show {
        /// Its id or its branch; without one, that of what is checked out
        review: Option<String>,
    },
    /// Show what changed since your last verdict
    ///
    /// Compares what the branch did when you judged it with what it does now.
    /// What came from the base is left out, as with `git range-diff`. The first
    /// mark of a line says whether the branch does this no more (-), since then
    /// (+) or still; the second what it does: take the line out (-) or put it
    /// in (+).
    ///
    /// Examples:
    ///
    ///     postil review since
    ///     postil review since topic --by alice
    ///     postil review since --json
    #[command(verbatim_doc_comment)]
    Since {
        /// Its id or its branch; without one, that of what is checked out
        review: Option<String>,
        /// Since the verdict of this person, by a part of their name or email
        #[arg(long, value_name = "PERSON")]
        by: Option<String>,
    },
    /// Say that it is good
    ///
    /// Examples:
    ///
    ///     postil review approve
    ///     postil review approve topic -m 'nice and short'
    #[command(verbatim_doc_comment)]
    Approve(JudgeArgs),
    /// Say that it is not good like this
    ///
    /// Example:
    ///
    ///     postil review request-changes -m 'the tests are missing'
    #[command(verbatim_doc_comment)]
    RequestChanges(JudgeArgs),
    /// Say something without a judgement
    ///
    /// The judgement that you gave before still stands.
    ///
    /// Example:
    ///
    ///     postil review comment -m 'I will look at it tomorrow'
    #[command(verbatim_doc_comment)]
    Comment(JudgeArgs),
    #[command(verbatim_doc_comment)]
    Edit(RewordArgs),
    /// End a review
    ///
    /// That its work was merged is noticed by itself.
    ///
    /// Examples:
    ///
    ///     postil review close -m 'we do it otherwise'
    ///     postil review close topic --merged
    #[command(verbatim_doc_comment)]
    Close {
        /// Its id or its branch; without one, that of what is checked out
        review: Option<String>,
        /// Its work went into its base
        #[arg(long)]
        merged: bool,
        /// Say why
        #[arg(short = 'm', long = "message", value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Open a review again
    ///
    /// Example:
    ///
    ///     postil review reopen topic -m 'it broke the build'
    #[command(verbatim_doc_comment)]
    Reopen {
        /// Its id or its branch; without one, that of what is checked out
        review: Option<String>,
        /// Say why
        #[arg(short = 'm', long = "message", value_name = "TEXT")]
        reason: Option<String>,
    },
}

/// What is judged, and why.
#[derive(Debug, clap::Args)]
pub struct JudgeArgs {
    /// The review's id or branch; without one, that of what is checked out
    review: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    /// Keep it here until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Begins, judges, ends.
pub fn run(command: &ReviewCommand, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = match command {
        ReviewCommand::List { all } => {
            let statuses = if *all { Vec::new() } else { vec![ReviewStatus::Open] };
            let reply = session.ask(ReviewList { statuses })?;
            if context.is_json() {
                screen.json::<In<ReviewList>>(&reply)?;
            } else {
                screen.page();
                screen.reviews(&reply)?;
            }
            return screen.close();
        }
        ReviewCommand::Since { review, by } => {
            let reply = session.ask(ReviewSince { review: review.clone(), by: by.clone() })?;
            if context.is_json() {
                screen.json::<In<ReviewSince>>(&reply)?;
            } else {
                screen.page();
                screen.since(&reply)?;
            }
            return screen.close();
        }
        ReviewCommand::Start { branch, base, title, description, draft } => session.write(ReviewStart {
            branch: branch.clone(),
            base: base.clone(),
            title: title.clone(),
            description: description.join("\n\n"),
            draft: *draft,
        })?,
        ReviewCommand::Show { review } => session.ask(ReviewShow { review: review.clone() })?,
        ReviewCommand::Approve(args) => judge(&mut session, context, args, Verdict::Approve)?,
        ReviewCommand::RequestChanges(args) => judge(&mut session, context, args, Verdict::Changes)?,
        ReviewCommand::Comment(args) => judge(&mut session, context, args, Verdict::Comment)?,
        ReviewCommand::Edit(args) => args.run(&mut session, context)?,
        ReviewCommand::Close { review, merged, reason } => {
            let status = if *merged { ReviewStatus::Merged } else { ReviewStatus::Closed };
            session.write(ReviewChange { review: review.clone(), status, reason: reason.clone() })?
        }
        ReviewCommand::Reopen { review, reason } => {
            let status = ReviewStatus::Open;
            session.write(ReviewChange { review: review.clone(), status, reason: reason.clone() })?
        }
    };
    if context.is_json() {
        screen.json::<In<ReviewShow>>(&reply)?;
    } else {
        if let ReviewCommand::Start { title, description, .. } = command
            && !reply.opened
        {
            let is_named = title.is_some() || !description.is_empty();
            let kept = if is_named {
                ", and keeps its title and description; `postil review edit` changes them"
            } else {
                ""
            };
            screen.tell(format!("note: it is under review already{kept}"));
        }
        if matches!(command, ReviewCommand::Edit(_))
            && session.email() != Some(reply.review.author.email.as_str())
        {
            screen.tell("note: the review is somebody else's; what you say is shown beside what they say");
        }
        screen.review(&reply)?;
    }
    screen.close()
}

/// Judges; only a comment needs words.
fn judge(
    session: &mut CommandSession,
    context: &Context,
    args: &JudgeArgs,
    verdict: Verdict,
) -> Result<ReviewReply, Failure> {
    session.must_know_author()?;
    let judged =
        |text: String| ReviewVerdict { review: args.review.clone(), verdict, text, draft: args.draft };
    if verdict != Verdict::Comment && !args.message.is_given() {
        return session.write(judged(String::new()));
    }
    let message = args.message.take(session.checkout(), &context.at.directory, "", &[])?;
    let outcome = session.write(judged(message.text.clone()));
    message.written(outcome)
}
