//! `postil list`

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use postil_client::now;
use postil_protocol::{
    Detail, Filter, Freshness, HeadName, In, List, ListReply, MAX_LIST, PlaceState, Scope, SeverityView,
    ThreadStatus,
};

use super::comment::{Tag, severity};
use super::number::count;
use super::{Context, paths};
use crate::connect::CommandSession;
use crate::failure::{Failure, Kind};
use crate::render::{Screen, line};

/// List threads, where they are now
///
/// Shows the open threads that the branch sees: those of its reviews, those on
/// commits in its history, and those of reviews that were merged into it. Places
/// are those of the files on disk. What lost its place stands at the head of its
/// file, with the lines that it was about.
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
    /// Only threads in these files or folders, or files such as `'*.rs'`
    #[arg(value_name = "PATH")]
    paths: Vec<OsString>,

    /// Every thread: of all branches, and whatever has become of it
    #[arg(short, long)]
    all: bool,

    /// Only threads whose place is in this state (can be repeated, or several with commas)
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    state: Vec<State>,

    /// Only threads of which this has become (can be repeated, or several with commas) [default: open]
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<Status>,

    /// Only threads in which this person said something: a part of a name or email (can be repeated)
    #[arg(long, value_name = "WHO")]
    author: Vec<String>,

    /// Only threads of this weight (can be repeated, or several with commas)
    #[arg(long, value_name = "WEIGHT", value_delimiter = ',', value_parser = severity())]
    severity: Vec<SeverityView>,

    /// Only threads with this tag, with or without its `#` (can be repeated)
    #[arg(long, value_name = "WORD")]
    tag: Vec<Tag>,

    /// Only threads of this review, named by its id or its branch
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,

    /// Only threads of which something was said since then: a date, yesterday, "2 days ago", or 3d, 12h, 2w
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,

    /// Only threads that a person should put somewhere, with `postil move`
    #[arg(long)]
    needs_choice: bool,

    /// Show places at this commit instead of the files on disk
    #[arg(long, value_name = "REV")]
    pub(super) at: Option<String>,

    /// Show at most so many
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = count, allow_negative_numbers = true)]
    limit: Option<u32>,

    /// Exit with 1 if there is any
    #[arg(long)]
    exit_code: bool,
}

/// How sure a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum State {
    Anchored,
    Shifted,
    Outdated,
    Orphaned,
}

/// What has become of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Status {
    Open,
    Resolved,
    Withdrawn,
}

impl State {
    fn wanted(self) -> PlaceState {
        match self {
            Self::Anchored => PlaceState::Anchored,
            Self::Shifted => PlaceState::Shifted,
            Self::Outdated => PlaceState::Outdated,
            Self::Orphaned => PlaceState::Orphaned,
        }
    }
}

impl Status {
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
    let question = asked(args, &session, detail)?;
    let reply = if context.is_json() {
        let reply = gather(question, &mut session)?;
        if let Err(failure) = screen.json::<In<List>>(&reply) {
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
            screen.tell(format!("note: there is no file {}", line(path.as_bytes())));
        }
    }
    Failure::checked(args.exit_code && reply.total > 0, screen.close())
}

/// Shows lines while they are read; those are in no reply any more.
fn show(mut list: List, session: &mut CommandSession, screen: &mut Screen) -> Result<ListReply, Failure> {
    let (mut count, mut shown) = (0, Ok(()));
    loop {
        let reply = session.list(list.clone(), |line| {
            if count == 0 {
                screen.page();
            }
            count += 1;
            // Whoever does not want to see more misses the rest.
            if shown.is_ok() {
                shown = screen.listed(&line);
            }
        })?;
        std::mem::replace(&mut shown, Ok(()))?;
        if list.limit.is_some() || reply.next.is_none() {
            screen.listed_all(&reply, count);
            return Ok(reply);
        }
        list.cursor = reply.next;
    }
}

fn gather(mut list: List, session: &mut CommandSession) -> Result<ListReply, Failure> {
    let mut reply = session.ask(list.clone())?;
    while list.limit.is_none() && reply.next.is_some() {
        list.cursor = reply.next.take();
        let more = session.ask(list.clone())?;
        debug_assert!(more.threads.len() <= MAX_LIST as usize);
        reply.threads.extend(more.threads);
        reply.next = more.next;
    }
    Ok(reply)
}

/// What the words of the command line ask for.
pub(super) fn asked(args: &ListArgs, session: &CommandSession, detail: Detail) -> Result<List, Failure> {
    let statuses = match args.status.as_slice() {
        [] if args.all => Vec::new(),
        [] => vec![ThreadStatus::Open],
        some => some.iter().map(|status| status.wanted()).collect(),
    };
    let filter = Filter {
        paths: paths::all_inside(session.checkout(), &args.paths)?,
        states: args.state.iter().map(|state| state.wanted()).collect(),
        statuses,
        authors: args.author.clone(),
        severities: args.severity.clone(),
        tags: Tag::words(&args.tag),
        review: args.review.clone(),
        since: args.since.as_deref().map(since).transpose()?,
        needs_choice: args.needs_choice,
    };
    // A review that was asked for is meant, wherever one stands.
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
        Failure::new(Kind::Usage, format!("{word:?} is no moment"))
            .because(error)
            .hint("give a date, yesterday, \"2 days ago\", 3d, 12h or 2w")
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
