//! `postil wait`

use std::time::{Duration, Instant};

use postil_compact::{CompactQuestion, compact_changes};
use postil_protocol::{
    ChangeKind, ChangeView, Changes, CompactList, Event, Filter, HeadName, Hex, List, Mark, Scope, Status,
    WarningView,
};

use super::compact::print;
use super::events::{TopicArgs, print_event};
use super::wait_filter::{WaitFilter, WaitFilterArgs};
use crate::commands::Context;
use crate::commands::input::number::seconds;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::Screen;
use crate::sanitize;

/// Wait for the next event
///
/// For scripts and agents that take turns with people. Prints the event and exits
/// with 0, or exits with 1 if nothing happened before the timeout, or with 5 if that
/// cannot be known because something cannot be read. With --since, nothing that
/// happened between two commands is missed.
///
/// Examples:
///
///     postil wait --timeout 60
///     postil wait src/lib.rs --json
///     postil wait --since "$(postil list --json | jq -r .mark)"
///     postil wait --since MARK --not-by me --for replied,opened --compact
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WaitArgs {
    #[command(flatten)]
    topic: TopicArgs,

    /// Wait at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,

    /// Include events since this mark, which all JSON output contains
    #[arg(long, value_name = "MARK")]
    since: Option<String>,

    /// Events to wait for (repeat, or separate with commas) [default: changed]
    #[arg(long = "for", value_name = "WHAT", value_delimiter = ',')]
    what: Vec<WaitResult>,

    #[command(flatten)]
    filter: WaitFilterArgs,

    /// Print the changed threads in few words, for agents, ending with the mark to continue from
    #[arg(long)]
    compact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WaitResult {
    /// A thread or review changed.
    Changed,
    /// The positions of comments changed.
    Placed,
    /// Either of the two.
    Any,
    /// A thread was started.
    Opened,
    /// A reply was written.
    Replied,
    /// A thread was resolved or retired.
    Resolved,
    /// A thread was reopened.
    Reopened,
    /// A text was edited.
    Edited,
    /// Something was proposed.
    Proposed,
    /// A verdict was given on a review.
    Judged,
}

impl WaitResult {
    /// The changes that it names; none for all of them.
    fn kinds(self) -> &'static [ChangeKind] {
        match self {
            Self::Changed | Self::Placed | Self::Any => &[],
            Self::Opened => &[ChangeKind::Commented, ChangeKind::Suggested],
            Self::Replied => &[ChangeKind::Replied, ChangeKind::Suggested],
            Self::Resolved => &[ChangeKind::Resolved, ChangeKind::Retired],
            Self::Reopened => &[ChangeKind::Reopened],
            Self::Edited => &[ChangeKind::Edited],
            Self::Proposed => &[ChangeKind::Proposed],
            Self::Judged => &[ChangeKind::Judged],
        }
    }
}

/// What ends a wait.
struct WaitedFor {
    changed: bool,
    placed: bool,
    filter: WaitFilter,
}

impl WaitedFor {
    fn of(args: &WaitArgs, session: &mut CommandSession) -> Result<Self, Failure> {
        let what = if args.what.is_empty() { &[WaitResult::Changed][..] } else { &args.what };
        let all = |one: &WaitResult| matches!(one, WaitResult::Changed | WaitResult::Any);
        let placed = what.iter().any(|one| matches!(one, WaitResult::Placed | WaitResult::Any));
        let changed = what.iter().any(|one| *one != WaitResult::Placed);
        let named = what.iter().flat_map(|one| one.kinds()).copied();
        let kinds = if what.iter().any(all) { Vec::new() } else { named.collect() };
        Ok(Self { changed, placed, filter: args.filter.filter(kinds, session)? })
    }

    fn is(&self, event: &Event) -> bool {
        match event {
            Event::Changed(changed) => {
                self.changed && (self.filter.is_empty() || !self.filter.wanted(changed).is_empty())
            }
            Event::Placed(_) => self.placed,
            Event::Resolving(_) => false,
            // More may have happened than can be reported, or nothing more will happen.
            Event::Reset(_) | Event::Ended(_) => true,
        }
    }

    /// What happened, as far as it is waited for.
    fn changes<'a>(&self, event: &'a Event) -> Vec<&'a ChangeView> {
        match event {
            Event::Changed(changed) if self.filter.is_empty() => changed.changes.iter().collect(),
            Event::Changed(changed) => self.filter.wanted(changed),
            _ => Vec::new(),
        }
    }

    /// The threads that an event is about, as far as they are waited for.
    fn threads(&self, event: &Event) -> Vec<String> {
        let mut threads: Vec<&Hex> = match event {
            Event::Changed(changed) if self.filter.is_empty() => {
                changed.threads.iter().map(|thread| &thread.id).collect()
            }
            Event::Changed(changed) => {
                let is_here = |of: &Hex| changed.threads.iter().any(|thread| thread.id == *of);
                let wanted = self.filter.wanted(changed).into_iter().map(|change| &change.of);
                wanted.filter(|of| is_here(of)).collect()
            }
            Event::Placed(event) => event.placed.iter().map(|placed| &placed.thread).collect(),
            _ => Vec::new(),
        };
        threads.sort_unstable();
        threads.dedup();
        threads.into_iter().map(ToString::to_string).collect()
    }
}

/// Prints the threads of an event in few words.
///
/// They may be newer than the mark, which is that of the event: so nothing that happens meanwhile is missed.
fn print_compact(
    waited: &WaitedFor,
    event: &Event,
    session: &mut CommandSession,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let mark = match event {
        Event::Changed(event) => &event.mark,
        Event::Placed(event) => &event.mark,
        Event::Reset(event) => &event.mark,
        Event::Resolving(_) | Event::Ended(_) => return print_event(session, screen, event),
    };
    let threads = waited.threads(event);
    let mut list = CompactList::default();
    if !threads.is_empty() || matches!(event, Event::Reset(_)) {
        let filter = Filter { threads, ..Filter::default() };
        let question = CompactQuestion::of(List { scope: Scope::All, filter, ..List::default() });
        list = question.ask(|list| session.ask(list))?;
    }
    if let Event::Changed(changed) = event {
        list.changes = compact_changes(waited.changes(event), &changed.threads);
    }
    if matches!(event, Event::Reset(_)) {
        let what = "too much changed since this mark, or it is of another repository: these are all threads";
        list.warnings.insert(0, WarningView { what: what.to_owned(), advice: None });
    }
    list.mark = mark.clone();
    print(&list, screen)
}

/// What it means that nothing happened: if something cannot be read, nobody knows.
fn nothing_happened(
    session: &mut CommandSession,
    began: Option<Mark>,
    screen: &mut Screen,
) -> Result<Failure, Failure> {
    if let Some(since) = began {
        // What was withheld woke nobody.
        let reply =
            session.ask(Changes { since: Some(since), head: HeadName::Head, ..Changes::default() })?;
        // There is no answer that could have the warnings.
        if screen.is_json() {
            for warning in &reply.warnings {
                screen.print_message(format!("warning: {}", sanitize::line(warning.what.as_bytes())));
            }
        }
    }
    let status = session.ask(Status { counts_only: true, ..Status::default() })?;
    let nothing = || Failure::new(FailureKind::Found, String::new());
    Ok(if status.incomplete { Failure::unchecked() } else { nothing() })
}

/// The mark from which a program waits, to know at the end what was withheld from it.
fn began(args: &WaitArgs, session: &mut CommandSession) -> Result<Option<Mark>, Failure> {
    Ok(match &args.since {
        _ if !session.is_program() => None,
        Some(since) => Some(Mark::from(since.as_str())),
        None => Some(session.ask(Changes { head: HeadName::Head, ..Changes::default() })?.mark),
    })
}

/// Waits.
pub fn run(args: &WaitArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let waited = WaitedFor::of(args, &mut session)?;
    let began = began(args, &mut session)?;
    let mut listening = args.topic.listen(&mut session, args.since.as_deref())?;
    args.topic.doubt(&session, &mut screen);
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    screen.print_message("waiting");
    loop {
        match listening.next(&session, deadline)? {
            None => return Err(nothing_happened(&mut session, began, &mut screen)?),
            Some(event) if waited.is(&event) => {
                if args.compact {
                    print_compact(&waited, &event, &mut session, &mut screen)?;
                } else {
                    print_event(&session, &mut screen, &event)?;
                }
                return screen.close();
            }
            Some(_) => {}
        }
    }
}
