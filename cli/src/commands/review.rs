//! `postil review …`

use postil_protocol::{
    Hex, LookedHead, MarkRead, RepositoryRequest, ReviewAsk, ReviewChange, ReviewList, ReviewReply,
    ReviewShow, ReviewSince, ReviewStart, ReviewStatus, ReviewVerdict, ReviewView, SinceReply, Verdict,
};

use super::Context;
use super::input::date::milliseconds;
use super::input::message::MessageArgs;
use super::reading::git_diff::DiffToPrint;
use super::reading::git_diff_options::GitDiffOptions;
use super::review_edit::RewordArgs;
use super::review_ready::{self, ReadyArgs};
use crate::connect::CommandSession;
use crate::failure::Failure;
use crate::render::{DeletedLines, Screen};

/// Start, show, approve and close reviews
///
/// Examples:
///
///     postil review start --title 'Saturating arithmetic'
///     postil review show
///     postil review approve -m 'good to go'
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum ReviewCommand {
    /// Start a review of a branch
    ///
    /// The first comment on a branch does this too.
    ///
    /// Examples:
    ///
    ///     postil review start --title 'Saturating arithmetic'
    ///     postil review start topic --base v1.2
    #[command(verbatim_doc_comment)]
    Start {
        /// Branch to review [default: the current branch]
        branch: Option<String>,
        /// Base of the review: a branch, tag or full ref name
        #[arg(long, value_name = "REF")]
        base: Option<String>,
        /// Title of the review
        #[arg(long)]
        title: Option<String>,
        /// Description of the review, in Markdown
        #[arg(short = 'm', long = "text", value_name = "TEXT")]
        description: Vec<String>,
        /// Save it as a draft, which is not shared until `postil publish`
        #[arg(long)]
        draft: bool,
    },
    /// List reviews, newest first
    ///
    /// The current review is marked with a star.
    ///
    /// Examples:
    ///
    ///     postil review list
    ///     postil review list --all --json
    ///     postil review list --all --since yesterday
    #[command(visible_alias = "ls", verbatim_doc_comment)]
    List {
        /// Also list merged and closed reviews
        #[arg(short, long)]
        all: bool,
        /// Only reviews with activity since this date, such as 2026-01-31, yesterday, "2 days ago", 3d, 12h or 2w
        ///
        /// Starting, editing, merging or closing a review counts as activity, and so do
        /// verdicts and anything written in its threads.
        #[arg(long, value_name = "WHEN", verbatim_doc_comment)]
        since: Option<String>,
    },
    /// Show a review and its verdicts
    ///
    /// Shows the last verdict of each person, and their comments since. With -v,
    /// earlier verdicts too. The verdicts are marked as read, for `postil inbox`.
    ///
    /// Examples:
    ///
    ///     postil review show
    ///     postil review show topic -v
    #[command(verbatim_doc_comment)]
    Show {
        /// Review ID or branch [default: the current review]
        review: Option<String>,
    },
    /// Show what changed since your last verdict, or since you looked
    ///
    /// If you gave no verdict yet, shows what changed since the version that you
    /// looked at last, with `postil diff`, `review show` or the review page.
    ///
    /// If the branch only got new commits, prints their diff, as `postil diff` does.
    ///
    /// If the branch was rewritten, compares its diff then with its diff now, as
    /// `git range-diff` does: changes that came from the base are left out. In the
    /// first column, - and + mark lines that are only in the old or the new diff.
    /// The second column is the diff itself: - deletes a line, + adds one.
    ///
    /// Examples:
    ///
    ///     postil review since
    ///     postil review since --looked
    ///     postil review since topic --by alice
    ///     postil review since --json
    #[command(verbatim_doc_comment)]
    Since {
        /// Review ID or branch [default: the current review]
        review: Option<String>,
        /// Use the last verdict of this person, given as part of a name or email
        #[arg(long, value_name = "PERSON")]
        by: Option<String>,
        /// Show what changed since you looked, also if you gave a verdict later
        #[arg(long, conflicts_with = "by")]
        looked: bool,
    },
    #[command(verbatim_doc_comment)]
    Ready(ReadyArgs),
    /// Approve a review
    ///
    /// Warns of open blockers, of your own review, and of a branch that moved since
    /// you looked at it last.
    ///
    /// Examples:
    ///
    ///     postil review approve
    ///     postil review approve topic -m 'nice and short'
    #[command(verbatim_doc_comment)]
    Approve(JudgeArgs),
    /// Request changes
    ///
    /// Example:
    ///
    ///     postil review request-changes -m 'the tests are missing'
    #[command(verbatim_doc_comment)]
    RequestChanges(JudgeArgs),
    /// Comment on a review without a verdict
    ///
    /// Your earlier verdict stays valid.
    ///
    /// Example:
    ///
    ///     postil review comment -m 'I will look at it tomorrow'
    #[command(verbatim_doc_comment)]
    Comment(JudgeArgs),
    /// Ask people to review
    ///
    /// People are named by an email, by `NAME <EMAIL>`, or by a part of a name or
    /// email that only one author of commits or comments has.
    ///
    /// Examples:
    ///
    ///     postil review request alice bob@example.org
    ///     postil review request alice --release
    ///     postil review request alice --review topic
    #[command(verbatim_doc_comment)]
    Request {
        /// Person to ask (can be repeated)
        #[arg(value_name = "PERSON", required = true)]
        who: Vec<String>,
        /// Review ID or branch [default: the current review]
        #[arg(long, value_name = "REVIEW")]
        review: Option<String>,
        /// Withdraw the request instead
        #[arg(long)]
        release: bool,
    },
    #[command(verbatim_doc_comment)]
    Edit(RewordArgs),
    /// Close a review
    ///
    /// Merged reviews are detected automatically.
    ///
    /// Examples:
    ///
    ///     postil review close -m 'replaced by another branch'
    ///     postil review close topic --merged
    #[command(verbatim_doc_comment)]
    Close {
        /// Review ID or branch [default: the current review]
        review: Option<String>,
        /// Mark it as merged
        #[arg(long)]
        merged: bool,
        /// Give a reason
        #[arg(short = 'm', long = "text", value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Reopen a review
    ///
    /// Example:
    ///
    ///     postil review reopen topic -m 'it broke the build'
    #[command(verbatim_doc_comment)]
    Reopen {
        /// Review ID or branch [default: the current review]
        review: Option<String>,
        /// Give a reason
        #[arg(short = 'm', long = "text", value_name = "TEXT")]
        reason: Option<String>,
    },
}

/// What is judged, and why.
#[derive(Debug, clap::Args)]
pub struct JudgeArgs {
    /// Review ID or branch [default: the current review]
    review: Option<String>,

    #[command(flatten)]
    message: MessageArgs,

    /// Save it as a draft, which is not shared until `postil publish`
    #[arg(long)]
    draft: bool,
}

/// Begins, judges, ends.
pub fn run(command: &ReviewCommand, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = match command {
        ReviewCommand::List { all, since } => {
            let statuses = if *all { Vec::new() } else { vec![ReviewStatus::Open] };
            let reply = session
                .ask(ReviewList { statuses, since: since.as_deref().map(milliseconds).transpose()? })?;
            if context.is_json() {
                screen.json::<RepositoryRequest<ReviewList>>(&reply)?;
            } else {
                screen.page();
                screen.reviews(&reply)?;
            }
            return screen.close();
        }
        ReviewCommand::Ready(args) => return review_ready::run(args, context),
        ReviewCommand::Since { review, by, looked } => {
            let asked = ReviewSince { review: review.clone(), by: by.clone(), looked: *looked };
            let reply = session.ask(asked)?;
            if context.is_json() {
                screen.json::<RepositoryRequest<ReviewSince>>(&reply)?;
                return screen.close();
            }
            if !session.is_program() {
                let looked = looked_at(&reply.review);
                // What cannot be written down only costs a warning.
                let _ = session.ask(MarkRead { looked, ..MarkRead::default() });
            }
            let mut screen = context.screen_like("diff", session.checkout());
            screen.page();
            if screen.since_head(&reply)? {
                if reply.only_added {
                    added_since(&reply, context, &mut session, &mut screen)?;
                } else {
                    screen.since(&reply)?;
                }
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
        ReviewCommand::Show { review } => {
            let reply = session.ask(ReviewShow { review: review.clone() })?;
            if !context.is_json() && !session.is_program() {
                let (reviews, shown) = (vec![reply.review.id.to_string()], Some(reply.mark.clone()));
                let looked = looked_at(&reply.review);
                // They are shown all the same; what cannot be written down is unread once more.
                let _ = session.ask(MarkRead { reviews, shown, looked, ..MarkRead::default() });
            }
            reply
        }
        ReviewCommand::Approve(args) => judge(&mut session, context, args, Verdict::Approve)?,
        ReviewCommand::RequestChanges(args) => judge(&mut session, context, args, Verdict::Changes)?,
        ReviewCommand::Comment(args) => judge(&mut session, context, args, Verdict::Comment)?,
        ReviewCommand::Request { who, review, release } => {
            session.write(ReviewAsk { review: review.clone(), who: who.clone(), release: *release })?
        }
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
        screen.json::<RepositoryRequest<ReviewShow>>(&reply)?;
    } else {
        if matches!(command, ReviewCommand::Start { .. }) && !reply.opened {
            screen.print_message("note: the branch is already under review");
        }
        if matches!(command, ReviewCommand::Edit(_))
            && session.email() != Some(reply.review.author.email.as_str())
        {
            screen.print_message(
                "note: this is someone else's review; your text is shown next to theirs as a proposal",
            );
        }
        screen.review(&reply)?;
    }
    screen.close()
}

/// The diff of the commits that a branch got since a verdict, with its threads.
fn added_since(
    reply: &SinceReply,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let diff = DiffToPrint {
        base: reply.then.head.clone(),
        head: Some(reply.now.head.clone()),
        typed: &[],
        paths: Vec::new(),
        context: None,
        options: &GitDiffOptions::default(),
        deleted: DeletedLines::Sought,
        placement: None,
    };
    diff.print(context, session, screen)
}

/// The version of a review that is shown.
fn looked_at(review: &ReviewView) -> Vec<LookedHead> {
    let head = |head: &Hex| LookedHead { review: review.id.to_string(), head: head.clone() };
    review.tip.iter().map(head).collect()
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
    let message = args.message.take(session, context, "", &[])?;
    let outcome = session.write(judged(message.text.clone()));
    message.written(outcome)
}
