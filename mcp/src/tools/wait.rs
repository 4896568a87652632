//! `wait`: until somebody else does something, or for a while.
//!
//! It never waits longer than a client does for an answer, and answers with a mark either way: whoever calls again with it
//! misses nothing. What the caller itself did is passed over.

use std::time::{Duration, Instant};

use postil_client::{OwnActs, Session, SessionError, SubscribeTo};
use postil_protocol::{ChangeView, Changed, Changes, Event, HeadName, Mark, ThreadView};
use postil_words::sanitize;

use super::arguments::ToolArguments;
use super::failing::failed;
use super::pages::{AnswerBlock, blocks, fitting};
use super::review_tools::Asked;
use crate::listing::{Shown, named};
use crate::wire::toolbox::{CallInProgress, ToolAnswer};

/// How long it waits unless it is told: shorter than every client's patience.
pub(super) const USUAL_SECONDS: u64 = 25;

/// How long it waits at most.
pub(super) const MAX_SECONDS: u64 = 50;

/// Between two looks whether somebody still waits for the answer, and two words about progress.
const LOOK: Duration = Duration::from_secs(1);

/// More acts than this are counted, not told one by one.
const MAX_ACTS: usize = 50;

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
    let mut mark = match since {
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
                    return Ok(told(session, &changed, &own));
                }
                mark = changed.mark;
            }
            Some(Event::Reset(reset)) => {
                let told = "too much changed to list it here; call `threads`";
                return Ok(ToolAnswer::ok(format!("{told}\nmark {}", reset.mark)));
            }
            Some(Event::Placed(placed)) => mark = placed.mark,
            Some(Event::Ended(_)) => return Err(SessionError::SubscriptionEnded),
            Some(Event::Resolving(_)) => {}
            None => {
                looks += 1;
                if looks % LOOKS_A_WORD == 0 {
                    running.tell(seconds.min(looks), seconds, "nothing happened yet");
                }
            }
        }
    }
    Ok(ToolAnswer::ok(format!(
        "pending: nobody else did anything; call again with this mark, or stop\nmark {mark}"
    )))
}

/// What others did, and the threads in which they did it.
fn told(session: &Session, changed: &Changed, own: &OwnActs) -> ToolAnswer {
    let others: Vec<&ChangeView> = own.others(&changed.changes, &changed.threads).collect();
    let is_news = |thread: &&ThreadView| others.iter().any(|change| change.of == thread.id);
    let threads: Vec<ThreadView> = changed.threads.iter().filter(is_news).cloned().collect();
    let mut head: Vec<String> = others.iter().take(MAX_ACTS).map(|change| act(change, changed)).collect();
    if others.len() > MAX_ACTS {
        head.push(format!("and {} more", others.len() - MAX_ACTS));
    }
    let blocks = blocks(session, &threads, Shown::Code);
    let shown = &blocks[..fitting(&blocks)];
    let mut lines = head;
    lines.extend(shown.iter().flat_map(AnswerBlock::lines).cloned());
    if shown.len() < blocks.len() {
        lines.push(format!("and {} more threads: `threads` lists them", blocks.len() - shown.len()));
    }
    lines.push(format!("mark {}", changed.mark));
    ToolAnswer::ok(lines.join("\n"))
}

/// Who did what, in a line.
fn act(change: &ChangeView, changed: &Changed) -> String {
    let thread = changed.threads.iter().find(|thread| thread.id == change.of);
    let name =
        thread.map_or_else(|| change.of.to_string().chars().take(8).collect(), |thread| thread.short.clone());
    let by = change.by.as_ref().map_or_else(|| "somebody".to_owned(), named);
    let what = format!("{:?}", change.what).to_lowercase();
    sanitize::line(format!("{name} {what} by {by}").as_bytes())
}
