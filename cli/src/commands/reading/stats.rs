//! `postil stats`

use std::ffi::OsString;

use postil_protocol::{Filter, RepositoryRequest, Scope, Stats};

use crate::commands::Context;
use crate::commands::input::date::milliseconds;
use crate::commands::input::paths;
use crate::failure::Failure;

/// Count how comments drift, by folder and over time
///
/// Counts the threads of the current branch, whatever their status: how many are on the
/// lines they were put on, moved with their text, became outdated because the text
/// changed, or were lost because it is gone. A folder is unstable if at least half of its
/// threads are outdated or lost, and there are at least three.
///
/// The second table compares the heads at the ends of up to 12 periods. What changes
/// twice in a period counts once, and a thread takes part from the first head on that
/// has its lines.
///
/// Examples:
///
///     postil stats
///     postil stats src/ --since '3 months ago'
///     postil stats --review topic
///     postil stats --all --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct StatsArgs {
    /// Only threads in these files or directories, or in files that match a pattern such as `'*.rs'`
    #[arg(value_name = "PATH")]
    paths: Vec<OsString>,

    /// All threads, of every branch
    #[arg(short, long)]
    all: bool,

    /// Only threads of this review (ID or branch)
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Only threads with a comment since this date, such as 2026-01-31, yesterday, "2 days ago", 3d, 12h or 2w
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
}

/// Counts.
pub fn run(args: &StatsArgs, context: &Context) -> Result<(), Failure> {
    let since = args.since.as_deref().map(milliseconds).transpose()?;
    let (mut session, mut screen) = context.begin()?;
    let filter = Filter {
        paths: paths::pathspecs(session.checkout(), &args.paths)?,
        review: args.review.clone(),
        since,
        ..Filter::default()
    };
    let scope = if args.all { Scope::All } else { Scope::Seen };
    let reply = session.ask(Stats { scope, filter, ..Stats::default() })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Stats>>(&reply)?;
    } else {
        screen.stats(&reply)?;
    }
    screen.close()
}
