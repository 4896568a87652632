//! `postil diff`

use std::ffi::OsString;

use postil_protocol::{Diff, HeadName, Hex, RepositoryRequest};

use super::compared_commits::Compared;
use super::git_diff::DiffToPrint;
use super::git_diff_options::GitDiffOptions;
use crate::commands::Context;
use crate::commands::input::number::count;
use crate::commands::input::paths;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{DeletedLines, ThreadPlacement};

/// Show a diff with the threads in it
///
/// Prints what `git diff` prints, with your settings of git. Without commits,
/// compares the working tree with the merge base of the branch and its base. With
/// one commit, compares the working tree with it; with two, compares them with each
/// other, as `git diff` does.
///
/// Open threads are in lines that begin with `#`. On a terminal, each is below its
/// line. Otherwise, threads are after their file, and `git apply` accepts the output.
///
/// Examples:
///
///     postil diff
///     postil diff src/
///     postil diff main~3
///     postil diff --stat
///     postil diff v1..v2 --word-diff -- src/
///     postil diff --no-threads | git apply -R
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

    /// Where to show threads [default: lines on a terminal, else files]
    #[arg(long, value_name = "WHERE", conflicts_with = "no_threads")]
    threads: Option<ThreadsArg>,

    /// Do not show threads
    #[arg(long)]
    no_threads: bool,

    /// Number of context lines around each change
    #[arg(short = 'U', long, value_name = "LINES", value_parser = count, allow_negative_numbers = true)]
    unified: Option<u32>,

    #[command(flatten)]
    options: GitDiffOptions,
}

/// Where threads are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ThreadsArg {
    /// Below their lines
    Lines,
    /// After their file; `git apply` accepts that
    Files,
    /// Nowhere
    None,
}

impl ThreadsArg {
    fn wanted(self) -> ThreadPlacement {
        match self {
            Self::Lines => ThreadPlacement::Lines,
            Self::Files => ThreadPlacement::Files,
            Self::None => ThreadPlacement::Left,
        }
    }
}

/// Compares.
pub fn run(args: &DiffArgs, context: &Context) -> Result<(), Failure> {
    if context.is_json() {
        return json(args, context);
    }
    let (mut session, mut screen) = context.begin_like("diff")?;
    let mut named = Compared { base: args.base.clone(), at: args.at.clone() };
    let mut typed = named.take(&args.words, &args.paths, session.checkout())?.to_vec();
    typed.extend_from_slice(&args.paths);
    let paths = paths::pathspecs(session.checkout(), &typed)?;
    let deleted = if named.base.is_some() { DeletedLines::Sought } else { DeletedLines::Counted };
    let (base, head) = ends(named, args, &mut session)?;
    let placement = match (args.no_threads, args.threads) {
        (true, _) => Some(ThreadPlacement::Left),
        (false, threads) => threads.map(ThreadsArg::wanted),
    };
    let diff = DiffToPrint {
        base,
        head,
        typed: &typed,
        paths,
        context: args.unified,
        options: &args.options,
        deleted,
        placement,
    };
    diff.print(context, &mut session, &mut screen)?;
    screen.close()
}

/// The commits to compare; the second one is none for the files on disk.
///
/// Names that were distinguished from files are commits; others are the service's to find.
fn ends(
    named: Compared,
    args: &DiffArgs,
    session: &mut CommandSession,
) -> Result<(Hex, Option<Hex>), Failure> {
    let checkout = session.checkout();
    // Without files there is only the commit.
    let at = named.at.or_else(|| checkout.work_tree().is_none().then(|| "HEAD".to_owned()));
    let known = |rev: &str| checkout.commit(rev).filter(|_| args.base.is_none() && args.at.is_none());
    if let Some(base) = named.base.as_deref().and_then(known) {
        match at.as_deref() {
            None => return Ok((base, None)),
            Some(rev) => {
                if let Some(at) = known(rev) {
                    return Ok((base, Some(at)));
                }
            }
        }
    }
    let head = at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    let found = session.ask(Diff { base: named.base, head, ends_only: true, ..Diff::default() })?;
    let base = found.base.ok_or_else(|| {
        Failure::new(FailureKind::Unavailable, "the service did not say what to compare with")
    })?;
    Ok((base, at.and(found.head.commit)))
}

/// The same for programs, as the service makes it.
fn json(args: &DiffArgs, context: &Context) -> Result<(), Failure> {
    let options =
        [args.options.first(), args.threads.map(|_| "threads"), args.no_threads.then_some("no-threads")];
    if let Some(option) = options.into_iter().flatten().next() {
        let what = format!("`--{option}` does not go with `--json`");
        return Err(Failure::new(FailureKind::Usage, what).hint("leave one of them out"));
    }
    let (mut session, mut screen) = context.begin()?;
    let mut named = Compared { base: args.base.clone(), at: args.at.clone() };
    let mut among = named.take(&args.words, &args.paths, session.checkout())?.to_vec();
    among.extend_from_slice(&args.paths);
    let reply = session.ask(Diff {
        base: named.base,
        head: named.at.map_or(HeadName::WorkTree, HeadName::Rev),
        paths: paths::pathspecs(session.checkout(), &among)?,
        context: args.unified,
        ..Diff::default()
    })?;
    screen.json::<RepositoryRequest<Diff>>(&reply)?;
    screen.close()
}
