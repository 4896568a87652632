//! `postil agent hook`: an agent that stops is told what others wrote since it was told last, once, and goes on.
//!
//! It must never keep an agent from stopping for nothing: what cannot be read or remembered lets it stop.

use std::io::{self, Read as _, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use postil_client::{AgentLevel, DeclaredVia, OwnActs, RepositoryArgs, Session, SessionError};
use postil_compact::{CompactQuestion, list_text, plain_path};
use postil_protocol::{
    ChangeView, Changes, Detail, Filter, HeadName, List, Mark, Scope, ThreadStatus, ThreadView, ViaView,
};
use postil_words::sanitize;

use super::hook_input::HookInput;
use super::known_agent::KnownAgent;
use super::session_marks::{SessionFile, ToldSession};
use crate::commands::Context;
use crate::failure::Failure;

/// More input than this is not read; agents send a page or two.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// An agent is made to go on so often in a row at most: Claude Code and Copilot end after as many by themselves.
const MAX_BLOCKS: u32 = 8;

/// More threads than this are counted, not shown.
const MAX_SHOWN: u32 = 20;

/// Answers the agent; whatever goes wrong, it can stop.
pub fn run(agent: KnownAgent, context: &Context) -> Result<(), Failure> {
    let reason = look(agent, context).unwrap_or_else(|why| {
        let told = sanitize::line(why.as_bytes());
        // Who does not listen can stop all the same.
        let _ = writeln!(io::stderr(), "postil: {told}; nothing is told to the agent");
        None
    });
    let answer = match &reason {
        Some(reason) => Some(agent.go_on(reason)),
        None => agent.stop(),
    };
    match answer {
        Some(answer) => {
            let line = sanitize::json(answer.to_string());
            writeln!(io::stdout(), "{line}").map_err(Failure::output)
        }
        None => Ok(()),
    }
}

/// What to tell the agent, if there is something.
fn look(agent: KnownAgent, context: &Context) -> Result<Option<String>, String> {
    let mut text = String::new();
    let read = io::stdin().take(MAX_INPUT_BYTES).read_to_string(&mut text);
    read.map_err(|error| format!("could not read what the agent says: {error}"))?;
    let input =
        HookInput::read(agent, &text).map_err(|why| format!("could not read what the agent says: {why}"))?;
    if !input.is_done {
        return Ok(None);
    }
    let at = input.folder.clone().map_or_else(|| context.at.clone(), RepositoryArgs::around);
    let via = DeclaredVia::Program(via(agent));
    let session = Session::open(&at, context.program().acting_via(via), Box::new(()));
    let mut session = session.map_err(|error| error.to_string())?;
    let file = SessionFile::of(session.checkout().git_dir(), agent.word(), &input.session);
    let before = file.read();
    let (told, reason) = turn(&mut session, agent, &input, &before).map_err(|error| error.to_string())?;
    if told != before {
        // What is not remembered would be told again and again.
        file.write(&told).map_err(|error| format!("could not remember what was told: {error}"))?;
    }
    Ok(reason)
}

fn via(agent: KnownAgent) -> ViaView {
    ViaView {
        kind: "agent".into(),
        program: agent.program().into(),
        version: None,
        model: None,
        person: None,
    }
}

/// What happened since the agent was told last.
struct HookNews {
    /// The open threads in which others did something.
    threads: Vec<ThreadView>,
    /// Whether a person did some of it.
    by_person: bool,
    /// Up to where that is.
    mark: Mark,
}

/// One stop of an agent: what it was told by then, and what it is told now.
fn turn(
    session: &mut Session,
    agent: KnownAgent,
    input: &HookInput,
    before: &ToldSession,
) -> Result<(ToldSession, Option<String>), SessionError> {
    let blocks = if input.is_going_on { before.blocks } else { 0 };
    let news = match &before.mark {
        Some(mark) => since(session, agent, mark, input)?,
        None => first_look(session, agent, input)?,
    };
    let stop = |mark: Option<Mark>| Ok((ToldSession { mark, blocks }, None));
    if news.threads.is_empty() {
        return stop(Some(news.mark));
    }
    // What is not told now is told at the next stop: two agents that answer each other do not go on for ever.
    if blocks >= MAX_BLOCKS || (input.is_going_on && !news.by_person) {
        return stop(before.mark.clone());
    }
    let reason = reason(session, &news)?;
    Ok((ToldSession { mark: Some(news.mark), blocks: blocks + 1 }, Some(reason)))
}

/// What others did since a mark.
fn since(
    session: &mut Session,
    agent: KnownAgent,
    mark: &Mark,
    input: &HookInput,
) -> Result<HookNews, SessionError> {
    let ask = Changes { since: Some(mark.clone()), head: HeadName::WorkTree, ..Changes::default() };
    let reply = session.ask(ask)?;
    if reply.reset {
        return first_look(session, agent, input);
    }
    let own = OwnActs::of(Some(&via(agent)), session.email());
    let others: Vec<&ChangeView> = own.others(&reply.changes, &reply.threads).collect();
    let by_person = |change: &&ChangeView| change.by.as_ref().is_none_or(|by| by.via.is_none());
    let is_news = |thread: &ThreadView| {
        thread.status == ThreadStatus::Open && others.iter().any(|change| change.of == thread.id)
    };
    let threads: Vec<ThreadView> = reply.threads.iter().filter(|thread| is_news(thread)).cloned().collect();
    let told = |change: &&&ChangeView| threads.iter().any(|thread| thread.id == change.of);
    let by_person = others.iter().filter(told).any(by_person);
    Ok(HookNews { threads, by_person, mark: reply.mark })
}

/// The first time in a session: what others wrote since it began.
fn first_look(session: &mut Session, agent: KnownAgent, input: &HookInput) -> Result<HookNews, SessionError> {
    let began = input.began(SystemTime::now()).duration_since(UNIX_EPOCH).unwrap_or_default();
    let began = u64::try_from(began.as_millis()).unwrap_or(u64::MAX);
    let filter = Filter { statuses: vec![ThreadStatus::Open], since: Some(began), ..Filter::default() };
    let reply = session.ask(List { filter, detail: Detail::Comments, ..List::default() })?;
    let own = OwnActs::of(Some(&via(agent)), session.email());
    let mut by_person = false;
    let mut threads = reply.threads;
    threads.retain(|thread| {
        let mut others = thread
            .comments
            .iter()
            .filter(|comment| comment.at >= began && !comment.draft && !own.is_by(&comment.author))
            // Nobody goes on for words that are withheld.
            .filter(|comment| !comment.withheld);
        let has_person = others.clone().any(|comment| comment.author.via.is_none());
        by_person |= has_person;
        others.next().is_some()
    });
    Ok(HookNews { threads, by_person, mark: reply.mark })
}

/// What the agent reads.
fn reason(session: &mut Session, news: &HookNews) -> Result<String, SessionError> {
    let threads = news.threads.iter().map(|thread| thread.id.to_string()).collect();
    let filter = Filter { threads, ..Filter::default() };
    let list = List { scope: Scope::All, filter, limit: Some(MAX_SHOWN), ..List::default() };
    let mut list = CompactQuestion::of(list).ask(|list| session.ask(list))?;
    // What is not on this page is found by the command that is named below, and the mark is kept for the agent.
    (list.next, list.mark) = (None, Mark::default());
    let count = news.threads.len();
    let threads = if count == 1 { "review thread" } else { "review threads" };
    let answer = match AgentLevel::of(session.checkout().repository()) {
        Ok(AgentLevel::Write) => {
            "answer with `postil reply ID -m TEXT`, and say what is dealt with by `postil propose ID -m TEXT`"
        }
        Ok(AgentLevel::Draft) => {
            "answer with `postil reply ID -m TEXT --draft`, and say what is dealt with by `postil propose ID -m TEXT --draft`"
        }
        _ => "tell the person what you did about it: you may not write comments here",
    };
    Ok(format!(
        "{count} open {threads} changed since you were told last.\n{}If your task covers it, change the code, and {answer}. \
         `postil show --compact ID` shows a thread whole, `postil list --compact` all of them. People resolve threads. If your \
         task does not cover it, stop; you are not told again.",
        list_text(&list, &plain_path)
    ))
}
