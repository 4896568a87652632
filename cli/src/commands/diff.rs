//! `postil diff`

use std::ffi::OsString;

use postil_protocol::{Diff, HeadName, In};

use super::compared::Compared;
use super::number::count;
use super::{Context, paths};
use crate::failure::Failure;

/// Show a diff with the threads at their lines
///
/// Compares the files on disk with where the branch left its base, and puts
/// every open thread at its line, on deleted lines too. Commits are named as
/// with `git diff`: one is compared with the files on disk, two with each other.
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
    /// Compare these commits: REV, REV REV, REV..REV or REV...REV; then only these files, folders or patterns
    #[arg(value_name = "REV|PATH")]
    words: Vec<OsString>,

    /// Only these files or folders, also such as are gone
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<OsString>,

    /// Compare with this commit
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// Compare this commit instead of the files on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,

    /// Show so many unchanged lines around each change
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
        paths: paths::all_inside(session.checkout(), &among)?,
        context: args.unified,
    })?;
    if context.is_json() {
        screen.json::<In<Diff>>(&reply)?;
    } else {
        screen.page();
        screen.diff(&reply)?;
    }
    screen.close()
}
