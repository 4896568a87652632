//! `postil review ready`

use postil_protocol::{RepositoryRequest, ReviewReadiness, ReviewReady};

use super::Context;
use crate::failure::{Failure, FailureKind};
use crate::render::missing_in_words;

/// Check whether a review is ready to be merged
///
/// The rule is the file .postil/ready in the base of the review. Without one, a
/// review is ready if somebody else approved it, no blocker is open and nobody
/// requests changes. Approvals count for the current version of the branch, and
/// not from its authors.
///
/// With --exit-code, exits with 1 if something is missing, and with 5 if that
/// could not be checked, such as if the rule is invalid.
///
/// Examples:
///
///     postil review ready
///     postil review ready topic --exit-code && git merge topic
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ReadyArgs {
    /// Review ID or branch [default: the current review]
    review: Option<String>,

    /// Exit with 1 if it is not ready
    #[arg(long)]
    exit_code: bool,
}

/// Checks.
pub fn run(args: &ReadyArgs, context: &Context) -> Result<(), Failure> {
    let checked = check(args, context);
    if !args.exit_code {
        return checked.map(drop);
    }
    let unready = checked.map_err(|failure| match failure.kind() {
        FailureKind::Usage | FailureKind::OutputClosed | FailureKind::Interrupted => failure,
        // A script must not take what could not be checked for what is not ready.
        _ => failure.in_check("could not check whether the review is ready"),
    })?;
    unready_failure(&unready).map_or(Ok(()), Err)
}

/// Prints whether a review is ready; returns it if it is not.
fn check(args: &ReadyArgs, context: &Context) -> Result<Vec<ReviewReadiness>, Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(ReviewReady { review: args.review.clone(), merging: None })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<ReviewReady>>(&reply)?;
    } else {
        for review in &reply.reviews {
            screen.review_name(review)?;
            screen.ready(&review.state)?;
        }
    }
    screen.close()?;
    Ok(reply.reviews.into_iter().filter(|review| !review.state.ready).collect())
}

/// How a check fails that found these reviews not to be ready; `None` if there are none.
pub fn unready_failure(unready: &[ReviewReadiness]) -> Option<Failure> {
    let first = unready.first()?;
    let unknown =
        unready.iter().flat_map(|review| &review.state.missing).find(|missing| missing.is_unknown());
    if let Some(unknown) = unknown {
        let failure = Failure::new(FailureKind::Unavailable, "could not check whether the review is ready");
        return Some(failure.because(missing_in_words(unknown)));
    }
    let what = match unready {
        [_] => format!("review {} is not ready", first.short),
        all => format!("{} reviews are not ready", all.len()),
    };
    Some(Failure::new(FailureKind::CheckFailed, what))
}
