//! `wait`: until somebody else does something, or for a while.
//!
//! It never waits longer than a client does for an answer, and answers with a mark either way: whoever calls again with it
//! misses nothing. What the caller itself did is passed over.

use std::time::{Duration, Instant};

use postil_client::{OwnActs, Session, SessionError, SubscribeTo};
use postil_compact::{CompactQuestion, compact_changes, list_text, plain_path};
use postil_protocol::{
    ChangeView, Changes, CompactList, Event, Filter, HeadName, List, Mark, Scope, ThreadView, WarningView,
};
use postil_words::sanitize;

use super::arguments::ToolArguments;
use super::failing::failed;
use super::review_tools::Asked;
use crate::wire::toolbox::{CallInProgress, ToolAnswer};

/// How long it waits unless it is told: shorter than every client's patience.
pub(super) const USUAL_SECONDS: u64 = 25;

/// How long it waits at most.
pub(super) const MAX_SECONDS: u64 = 50;

/// Between two looks whether somebody still waits for the answer, and two words about progress.
const LOOK: Duration = Duration::from_secs(1);

/// Progress is told once in so many looks.
const LOOKS_A_WORD: u64 = 5;

pub(super) fn wait(asked: &mut Asked<'_>, running: &CallInProgress) -> ToolAnswer {
    let arguments = match ToolArguments::of(&asked.call.arguments, &["since", "seconds"]) {
        Ok(arguments) => arguments,
        Err(refused) => return refused,
    };
    let given = arguments.word("since").and_then(|since| {
        Ok((since.map(Mark::from), arguments.number("seconds", 1, MAX_SECONDS)?.unwrap_or(USUAL_SECONDS)))
    });
    let (since, seconds) = match given {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    match waited(asked.session, since, seconds, running) {
        Ok(answer) => answer,
        Err(error) => failed(&error),
    }
}

fn waited(
    session: &mut Session,
    since: Option<Mark>,
    seconds: u64,
    running: &CallInProgress,
) -> Result<ToolAnswer, SessionError> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    // Without a mark it waits from now on: what happens between this answer and the subscription is not missed.
    let mark = match since {
        Some(mark) => mark,
        None => session.ask(Changes { head: HeadName::Head, ..Changes::default() })?.mark,
    };
    let to = SubscribeTo { since: Some(mark.clone()), ..SubscribeTo::default() };
    let mut events = session.subscribe(to)?;
    let own = OwnActs::of(session.via(), session.email());
    let mut looks = 0;
    while !running.is_cancelled() {
        let now = Instant::now();
        if now >= deadline {
            break;
        }
        match events.next_before(Some(deadline.min(now + LOOK)))? {
            Some(Event::Changed(changed)) => {
                if own.others(&changed.changes, &changed.threads).next().is_some() {
                    return told(session, &changed.changes, &changed.threads, &changed.mark, &own);
                }
            }
            Some(Event::Reset(reset)) => {
                return Ok(too_much(&reset.mark));
            }
            Some(Event::Ended(_)) => return Err(SessionError::SubscriptionEnded),
            Some(Event::Placed(_) | Event::Resolving(_)) => {}
            None => {
                looks += 1;
                if looks % LOOKS_A_WORD == 0 {
                    running.tell(seconds.min(looks), seconds, "nothing happened yet");
                }
            }
        }
    }
    if running.is_cancelled() {
        return Ok(ToolAnswer::ok(String::new()));
    }
    // On a busy machine the time may be over before the first event comes: what is behind the mark is told all the same, and
    // how much was withheld since then.
    let reply = session.ask(Changes { since: Some(mark), head: HeadName::Head, ..Changes::default() })?;
    if reply.reset {
        return Ok(too_much(&reply.mark));
    }
    if own.others(&reply.changes, &reply.threads).next().is_some() {
        return told(session, &reply.changes, &reply.threads, &reply.mark, &own);
    }
    // Such as how much was withheld: strangers wake nobody, and their person is to know.
    let warning = |warning: &WarningView| format!("warning: {}\n", sanitize::line(warning.what.as_bytes()));
    let warnings: String = reply.warnings.iter().map(warning).collect();
    let mark = reply.mark;
    Ok(ToolAnswer::ok(format!(
        "pending: nobody else did anything; call again with this mark, or stop\n{warnings}mark {mark}"
    )))
}

fn too_much(mark: &Mark) -> ToolAnswer {
    ToolAnswer::ok(format!("too much changed to list it here; call `threads`\nmark {mark}"))
}

/// What others did, and the threads in which they did it.
fn told(
    session: &mut Session,
    changes: &[ChangeView],
    threads: &[ThreadView],
    mark: &Mark,
    own: &OwnActs,
) -> Result<ToolAnswer, SessionError> {
    let others: Vec<&ChangeView> = own.others(changes, threads).collect();
    let is_news = |of: &&ThreadView| others.iter().any(|change| change.of == of.id);
    let named: Vec<String> = threads.iter().filter(is_news).map(|thread| thread.id.to_string()).collect();
    let mut list = CompactList::default();
    if !named.is_empty() {
        let filter = Filter { threads: named, ..Filter::default() };
        let question = CompactQuestion::of(List { scope: Scope::All, filter, ..List::default() });
        list = question.ask(|list| session.ask(list))?;
    }
    list.changes = compact_changes(others, threads);
    // The threads may be newer than the mark, which is that of the event: so nothing that happens meanwhile is missed. A page
    // has no next one here: `threads` with the mark before leads through all of it.
    (list.mark, list.next) = (mark.clone(), None);
    Ok(ToolAnswer::ok(list_text(&list, &plain_path)))
}
