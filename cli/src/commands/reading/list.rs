//! `postil list`

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use postil_client::now;
use postil_protocol::{
    Detail, Filter, Freshness, HeadName, List, ListReply, PlaceState, RepositoryRequest, Scope, SeverityView,
    ThreadStatus,
};

use crate::commands::Context;
use crate::commands::comments::comment::{Tag, severity};
use crate::commands::input::number::count;
use crate::commands::input::paths;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{Screen, line};

/// List threads with their current positions
///
/// Shows the open threads of the current branch: those of its reviews, those on
/// commits in its history, and those of reviews that were merged into it.
/// Positions are in the files of the working tree. Orphaned threads, whose lines
/// no longer exist, are shown at the top of their file with the original lines.
///
/// Examples:
///
///     postil list
///     postil list src/ '*.toml' --author alice --state outdated
///     postil list --all --json
///     postil list --needs-choice
///     postil list --exit-code --severity blocker
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ListArgs {
    /// Only threads in these files or directories, or in files that match a pattern such as `'*.rs'`
    #[arg(value_name = "PATH")]
    paths: Vec<OsString>,

    /// All threads, of every branch and with any status
    #[arg(short, long)]
    all: bool,

    /// Only threads whose position has this state (repeat, or separate with commas)
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    state: Vec<StateArg>,

    /// Only threads with this status (repeat, or separate with commas) [default: open]
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<StatusArg>,

    /// Only threads with a comment by this person, given as part of a name or email (can be repeated)
    #[arg(long, value_name = "PERSON")]
    author: Vec<String>,

    /// Only threads with this severity (repeat, or separate with commas)
    #[arg(long, value_name = "SEVERITY", value_delimiter = ',', value_parser = severity())]
    severity: Vec<SeverityView>,

    /// Only threads with this tag, with or without `#` (can be repeated)
    #[arg(long, value_name = "TAG")]
    tag: Vec<Tag>,

    /// Only threads of this review (ID or branch)
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Only threads with a comment since this date, such as 2026-01-31, yesterday, "2 days ago", 3d, 12h or 2w
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,

    /// Only threads whose position is uncertain; choose one with `postil move`
    #[arg(long)]
    needs_choice: bool,

    /// Show positions at this commit instead of in the working tree
    #[arg(long, value_name = "REV")]
    pub(crate) at: Option<String>,

    /// Show at most this many threads
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = count, allow_negative_numbers = true)]
    limit: Option<u32>,

    /// Exit with 1 if there are any threads
    #[arg(long)]
    exit_code: bool,
}

/// How sure a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum StateArg {
    Anchored,
    Shifted,
    Outdated,
    Orphaned,
}

/// What has become of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum StatusArg {
    Open,
    Resolved,
    Withdrawn,
}

impl StateArg {
    fn wanted(self) -> PlaceState {
        match self {
            Self::Anchored => PlaceState::Anchored,
            Self::Shifted => PlaceState::Shifted,
            Self::Outdated => PlaceState::Outdated,
            Self::Orphaned => PlaceState::Orphaned,
        }
    }
}

impl StatusArg {
    fn wanted(self) -> ThreadStatus {
        match self {
            Self::Open => ThreadStatus::Open,
            Self::Resolved => ThreadStatus::Resolved,
            Self::Withdrawn => ThreadStatus::Withdrawn,
        }
    }
}

/// Lists.
pub fn run(args: &ListArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let detail = if context.is_json() { Detail::Brief } else { Detail::Line };
    let question = list_params(args, &session, detail)?;
    let reply = if context.is_json() {
        let reply = gather(question, &mut session)?;
        if let Err(failure) = screen.json::<RepositoryRequest<List>>(&reply) {
            return Failure::checked(args.exit_code && reply.total > 0, Err(failure));
        }
        reply
    } else {
        match show(question, &mut session, &mut screen) {
            Ok(reply) => reply,
            // Nothing is written where nothing is found.
            Err(failure) => return Failure::checked(args.exit_code, Err(failure)),
        }
    };
    if reply.total == 0 && args.at.is_none() {
        // A deleted file may have comments; one that was mistyped has none.
        for path in args.paths.iter().filter(|path| paths::is_mistyped(session.checkout(), path)) {
            screen.print_message(format!("note: no such file: {}", line(path.as_bytes())));
        }
    }
    let closed = screen.close();
    if args.exit_code && reply.total == 0 && reply.incomplete {
        return Err(Failure::unchecked());
    }
    Failure::checked(args.exit_code && reply.total > 0, closed)
}

/// Shows lines while they are read; those are in no reply any more.
fn show(mut list: List, session: &mut CommandSession, screen: &mut Screen) -> Result<ListReply, Failure> {
    let (mut count, mut shown) = (0, Ok(()));
    loop {
        let before = count;
        let mut show_line = |line| {
            if count == 0 {
                screen.page();
            }
            count += 1;
            // If the reader stopped early, the rest is not printed.
            if shown.is_ok() {
                shown = screen.listed(&line);
            }
        };
        let reply = session.list(list.clone(), &mut show_line)?;
        std::mem::replace(&mut shown, Ok(()))?;
        list.limit = list.limit.map(|limit| limit.saturating_sub(count - before));
        if list.limit == Some(0) || reply.next.is_none() {
            screen.listed_all(&reply, count);
            return Ok(reply);
        }
        list.cursor = reply.next;
    }
}

/// All pages of a list as one, up to its limit.
pub(crate) fn gather(mut list: List, session: &mut CommandSession) -> Result<ListReply, Failure> {
    let wanted = list.limit;
    let mut reply = session.ask(list.clone())?;
    while reply.next.is_some() {
        let count = u32::try_from(reply.threads.len() + reply.lines.len()).unwrap_or(u32::MAX);
        list.limit = wanted.map(|wanted| wanted.saturating_sub(count));
        if list.limit == Some(0) {
            break;
        }
        list.cursor = reply.next.take();
        let more = session.ask(list.clone())?;
        reply.threads.extend(more.threads);
        reply.lines.extend(more.lines);
        reply.next = more.next;
    }
    Ok(reply)
}

/// What the words of the command line ask for.
pub(crate) fn list_params(
    args: &ListArgs,
    session: &CommandSession,
    detail: Detail,
) -> Result<List, Failure> {
    let statuses = match args.status.as_slice() {
        [] if args.all => Vec::new(),
        [] => vec![ThreadStatus::Open],
        some => some.iter().map(|status| status.wanted()).collect(),
    };
    let filter = Filter {
        paths: paths::pathspecs(session.checkout(), &args.paths)?,
        states: args.state.iter().map(|state| state.wanted()).collect(),
        statuses,
        authors: args.author.clone(),
        severities: args.severity.clone(),
        tags: Tag::words(&args.tag),
        into: None,
        review: args.review.clone(),
        since: args.since.as_deref().map(since).transpose()?,
        needs_choice: args.needs_choice,
    };
    // A review given by name is found on any branch.
    let scope = if args.all || args.review.is_some() { Scope::All } else { Scope::Seen };
    let head = args.at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    let (limit, freshness) = (args.limit, Freshness::Wait);
    Ok(List { scope, filter, head, freshness, detail, limit, cursor: None })
}

/// A moment in milliseconds since 1970: a date as git reads them, or how long ago.
fn since(word: &str) -> Result<u64, Failure> {
    let ago = word.strip_suffix(['h', 'd', 'w']).and_then(|count| count.parse::<u64>().ok());
    if let Some(count) = ago {
        let hours = match word.as_bytes().last() {
            Some(b'h') => 1,
            Some(b'd') => 24,
            _ => 24 * 7,
        };
        return Ok(now().saturating_sub(count.saturating_mul(hours * 3_600_000)));
    }
    let parsed = gix::date::parse(word, Some(gix::date::Zoned::now()));
    let time = parsed.map_err(|error| {
        Failure::new(FailureKind::Usage, format!("invalid date: {word:?}"))
            .because(error)
            .hint("use a date such as 2026-01-31, yesterday, \"2 days ago\", 3d, 12h or 2w")
    })?;
    Ok(u64::try_from(time.seconds).unwrap_or(0).saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_or_how_long_ago() {
        const DAY: u64 = 24 * 3_600_000;
        let ago = |word: &str| (now() - since(word).unwrap()) / DAY;
        for (word, days) in [("yesterday", 1), ("3 days ago", 3), ("2 weeks ago", 14), ("3d", 3), ("2w", 14)]
        {
            assert_eq!(ago(word), days, "{word}");
        }
        assert_eq!(since("2026-01-02 00:00:00 +0000").unwrap(), 1_767_312_000_000);
        for bad in ["", "some day", "12x"] {
            assert!(since(bad).is_err(), "{bad}");
        }
    }
}
