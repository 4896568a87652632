//! `postil list`

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use postil_protocol::{
    Detail, Filter, Freshness, HeadName, List, ListOrder, ListReply, PlaceState, RepositoryRequest, Scope,
    SeverityView, Status, ThreadStatus,
};

use crate::commands::Context;
use crate::commands::comments::comment::{Tag, severity};
use crate::commands::input::date::milliseconds;
use crate::commands::input::number::count;
use crate::commands::input::paths;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{Screen, ThreadFormat, format_help, line};

use super::compact::CompactArgs;
use super::no_match;

/// List threads with their current positions
///
/// Shows the open threads of the current branch: those of its reviews, those on
/// commits in its history, and those of reviews that were merged into it.
/// Positions are in the files of the working tree. Orphaned threads, whose lines
/// no longer exist, are shown at the top of their file with the original lines.
///
/// On a terminal, threads are grouped by file. `•` marks unread activity by others,
/// which `postil show` marks as read. The age is the time since the last change, and
/// `+2` means two replies. When piped, prints one line per thread.
///
/// Examples:
///
///     postil list
///     postil list --unread --sort age
///     postil list --mine --grep 'overflow|saturat'
///     postil list --format '%(short) %(path):%(line) %(subject)'
///     postil list src/ '*.toml' --author alice --state outdated
///     postil list --all --json
///     postil list --needs-choice
///     postil list --exit-code --severity blocker
///     postil list --compact
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ListCommandArgs {
    #[command(flatten)]
    filter: ListArgs,

    /// Order: by file and line, by the last change (newest first), or by severity (blockers first)
    #[arg(long, value_name = "ORDER", default_value = "file", hide_default_value = true)]
    sort: SortArg,

    /// Print each thread in this form, with fields such as `%(id)` [see below]
    #[arg(long, value_name = "FORMAT", long_help = format_help())]
    format: Option<String>,

    #[command(flatten)]
    compact: CompactArgs,
}

/// Which threads are meant, for every command that works on several.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
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

    /// Only threads that you started
    #[arg(long)]
    mine: bool,

    /// Only threads with unread activity by others
    #[arg(long)]
    unread: bool,

    /// Only threads with a comment that matches this regular expression (case-insensitive)
    #[arg(long, value_name = "PATTERN")]
    grep: Option<String>,

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

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SortArg {
    #[default]
    File,
    Age,
    Severity,
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

impl SortArg {
    fn wanted(self) -> ListOrder {
        match self {
            Self::File => ListOrder::File,
            Self::Age => ListOrder::Age,
            Self::Severity => ListOrder::Severity,
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
pub fn run(command: &ListCommandArgs, context: &Context) -> Result<(), Failure> {
    let ListCommandArgs { filter: args, sort, format, compact } = command;
    if format.is_some() && context.is_json() {
        return Err(Failure::new(FailureKind::Usage, "`--format` cannot be used with `--json`")
            .hint("give only one of them"));
    }
    let format = format.as_deref().map(ThreadFormat::parse).transpose()?;
    let (mut session, mut screen) = context.begin()?;
    if let Some(detail) = compact.detail() {
        let question = List { order: sort.wanted(), ..list_params(args, &session, Detail::Brief)? };
        let reply = compact.list(question, detail, &mut session, &mut screen)?;
        return Failure::checked(args.exit_code && reply.total > 0, screen.close());
    }
    // A table is for a terminal; what is piped is read line by line.
    let is_table = format.is_none() && !context.is_json() && screen.width().is_some();
    let detail = match (context.is_json() || format.is_some(), is_table) {
        (true, _) => Detail::Brief,
        (false, true) => Detail::Row,
        (false, false) => Detail::Line,
    };
    let question = List { order: sort.wanted(), ..list_params(args, &session, detail)? };
    let asked = question.clone();
    let reply = if let Some(format) = &format {
        let reply = gather(question, &mut session)?;
        if !reply.threads.is_empty() {
            screen.page();
        }
        let now = session.now();
        let shown = reply.threads.iter().try_for_each(|thread| screen.formatted(format, thread, now));
        if shown.is_err() {
            return Failure::checked(args.exit_code && reply.total > 0, shown);
        }
        screen.listed_all(&reply, u32::try_from(reply.threads.len()).unwrap_or(u32::MAX));
        reply
    } else if is_table {
        match show_table(question, &mut session, &mut screen) {
            Ok(reply) => reply,
            Err(failure) => return Failure::checked(args.exit_code, Err(failure)),
        }
    } else if context.is_json() {
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
    if reply.total == 0 && !context.is_json() {
        // A deleted file may have comments; one that was mistyped has none.
        let mistyped = args.paths.iter().filter(|path| paths::is_mistyped(session.checkout(), path));
        for path in mistyped.filter(|_| args.at.is_none()) {
            screen.print_message(format!("note: no such file: {}", line(path.as_bytes())));
        }
        if reply.advice.is_none() {
            no_match::explain(&asked, args.all, &mut session, &mut screen)?;
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

/// Shows a table, for which all rows must be known, and the sum of the branch.
fn show_table(list: List, session: &mut CommandSession, screen: &mut Screen) -> Result<ListReply, Failure> {
    let order = list.order;
    let mut reply = gather(list, session)?;
    let shown = u32::try_from(reply.lines.len()).unwrap_or(u32::MAX);
    if shown > 0 {
        screen.page();
        screen.thread_table(&std::mem::take(&mut reply.lines), order, session.now())?;
        let counts = session.ask(Status { freshness: Freshness::Now, counts_only: true })?;
        screen.thread_counts(reply.total, &counts)?;
    }
    screen.listed_all(&reply, shown);
    Ok(reply)
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
        threads: Vec::new(),
        paths: paths::pathspecs(session.checkout(), &args.paths)?,
        states: args.state.iter().map(|state| state.wanted()).collect(),
        statuses,
        authors: args.author.clone(),
        started_by: if args.mine { vec![own_email(session)?] } else { Vec::new() },
        text: args.grep.clone(),
        unread: args.unread,
        severities: args.severity.clone(),
        tags: Tag::words(&args.tag),
        into: None,
        review: args.review.clone(),
        since: args.since.as_deref().map(milliseconds).transpose()?,
        needs_choice: args.needs_choice,
    };
    // A review given by name is found on any branch.
    let scope = if args.all || args.review.is_some() { Scope::All } else { Scope::Seen };
    let head = args.at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    let (limit, freshness) = (args.limit, Freshness::Wait);
    Ok(List { scope, filter, head, freshness, detail, code: 0, order: ListOrder::File, limit, cursor: None })
}

fn own_email(session: &CommandSession) -> Result<String, Failure> {
    session.must_know_author()?;
    Ok(session.email().unwrap_or_default().to_owned())
}
