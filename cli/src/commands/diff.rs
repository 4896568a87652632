//! `postil diff`

use std::ffi::OsString;

use postil_core::protocol::{Diff, HeadName, In};

use super::{Context, paths};
use crate::failure::Failure;

/// Show a diff with the threads at their lines
///
/// Compares the files on disk with where the branch left its base, and puts
/// every open thread at its line, on deleted lines too.
///
/// Examples:
///
///     postil diff
///     postil diff src/
///     postil diff --base main~3 --at HEAD
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct DiffArgs {
    /// Only these files or folders
    #[arg(value_name = "PATH")]
    paths: Vec<OsString>,

    /// Compare with this commit
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// Compare this commit instead of the files on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,

    /// Show so many unchanged lines around each change
    #[arg(short = 'U', long, value_name = "LINES")]
    unified: Option<u32>,
}

/// Compares.
pub fn run(args: &DiffArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(Diff {
        base: args.base.clone(),
        head: args.at.clone().map_or(HeadName::WorkTree, HeadName::Rev),
        paths: paths::all_inside(&session.folder, &args.paths)?,
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
