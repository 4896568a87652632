//! `postil diff`

use std::ffi::OsString;

use postil_protocol::{Diff, HeadName, RepositoryRequest};

use super::compared_commits::Compared;
use crate::commands::Context;
use crate::commands::input::number::count;
use crate::commands::input::paths;
use crate::failure::Failure;

/// Show a diff with the threads in it
///
/// Without commits, compares the working tree with the merge base of the branch
/// and its base. With one commit, compares the working tree with it; with two,
/// compares them with each other, as `git diff` does. Each open thread is shown
/// below its line, even if the line was deleted.
///
/// Examples:
///
///     postil diff
///     postil diff src/
///     postil diff main~3
///     postil diff v1..v2 -- src/
///     postil diff --base main~3 --at HEAD
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct DiffArgs {
    /// Commits to compare (REV, REV REV, REV..REV or REV...REV), and files, directories or patterns to show
    #[arg(value_name = "REV|PATH")]
    words: Vec<OsString>,

    /// Only these files or directories, even if they no longer exist
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<OsString>,

    /// Compare with this commit
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// Compare this commit instead of the working tree
    #[arg(long, value_name = "REV")]
    at: Option<String>,

    /// Number of context lines around each change
    #[arg(short = 'U', long, value_name = "LINES", value_parser = count, allow_negative_numbers = true)]
    unified: Option<u32>,
}

/// Compares.
pub fn run(args: &DiffArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut named = Compared { base: args.base.clone(), at: args.at.clone() };
    let mut among = named.take(&args.words, &args.paths, session.checkout())?.to_vec();
    among.extend_from_slice(&args.paths);
    let reply = session.ask(Diff {
        base: named.base,
        head: named.at.map_or(HeadName::WorkTree, HeadName::Rev),
        paths: paths::pathspecs(session.checkout(), &among)?,
        context: args.unified,
        ends_only: false,
    })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Diff>>(&reply)?;
    } else {
        screen.page();
        screen.diff(&reply)?;
    }
    screen.close()
}
