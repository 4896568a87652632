//! `postil accept` and `postil decline`

use postil_protocol::{AnswerProposals, ProposalAnswer, RepositoryRequest};

use crate::commands::Context;
use crate::commands::input::target::{Meant, all_to_change};
use crate::failure::Failure;

/// Accept what was proposed for a thread
///
/// Resolves the thread, or moves it to the proposed place. Only people can do
/// this.
///
/// Examples:
///
///     postil accept 3f9c1a2
///     postil accept @ -m 'checked'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct AcceptArgs {
    /// Thread ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Give a reason
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    reason: Option<String>,
}

/// Decline what was proposed for a thread
///
/// The thread stays open and where it is. Only people can do this.
///
/// Example:
///
///     postil decline 3f9c1a2 -m 'it still overflows'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct DeclineArgs {
    /// Thread ID (a unique prefix is enough), `@` for the newest, or FILE:LINE (can be repeated)
    #[arg(value_name = "ID", required = true)]
    threads: Vec<String>,

    /// Give a reason
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    reason: Option<String>,
}

/// Accepts.
pub fn accept(args: &AcceptArgs, context: &Context) -> Result<(), Failure> {
    answer(&args.threads, ProposalAnswer::Accept, args.reason.as_deref(), context)
}

/// Declines.
pub fn decline(args: &DeclineArgs, context: &Context) -> Result<(), Failure> {
    answer(&args.threads, ProposalAnswer::Decline, args.reason.as_deref(), context)
}

fn answer(
    threads: &[String],
    answer: ProposalAnswer,
    reason: Option<&str>,
    context: &Context,
) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reason = reason.map(str::to_owned);
    let threads = all_to_change(threads, Meant::Open, context, &mut session, &mut screen)?;
    let reply = session.write(AnswerProposals { threads, answer, reason })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<AnswerProposals>>(&reply)?;
    } else {
        let word = match answer {
            ProposalAnswer::Accept => "accepted",
            ProposalAnswer::Decline => "declined",
        };
        reply.threads.iter().try_for_each(|thread| screen.named(word, thread))?;
    }
    screen.close()
}
