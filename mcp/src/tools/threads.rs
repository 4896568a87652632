//! `threads`: the threads of what is checked out, or those that changed since a mark.

use postil_client::SessionError;
use postil_protocol::{ByteText, Changes, Detail, Filter, HeadName, List, Mark, ThreadStatus, ThreadView};

use super::arguments::{Refused, ToolArguments};
use super::failing::{failed, warning};
use super::pages::{AnswerBlock, AnswerPage, blocks, fitting};
use super::review_tools::Asked;
use crate::listing::Shown;
use crate::wire::toolbox::ToolAnswer;

/// More threads than this are never on one page.
const MAX_ON_PAGE: u32 = 200;

/// What a call asks for.
struct ThreadsAsked<'a> {
    statuses: Vec<ThreadStatus>,
    path: Option<&'a str>,
    since: Option<Mark>,
    shown: Shown,
    limit: u32,
    cursor: Option<&'a str>,
    page: Option<AnswerPage>,
}

pub(super) fn threads(asked: &mut Asked<'_>) -> ToolAnswer {
    let wanted = match ThreadsAsked::read(asked) {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    let answer = match &wanted.since {
        Some(since) => changed(asked, &wanted, since.clone()),
        None => listed(asked, &wanted),
    };
    answer.unwrap_or_else(|error| failed(&error))
}

impl<'a> ThreadsAsked<'a> {
    fn read(asked: &Asked<'a>) -> Result<Self, Refused> {
        let known = ["status", "path", "since", "detail", "limit", "cursor"];
        let arguments = ToolArguments::of(&asked.call.arguments, &known)?;
        let (open, resolved) = (ThreadStatus::Open, ThreadStatus::Resolved);
        let all = [open, resolved, ThreadStatus::Withdrawn];
        let statuses: [(&str, &[ThreadStatus]); 3] =
            [("open", &[open]), ("resolved", &[resolved]), ("all", &all)];
        let since = arguments.word("since")?.map(Mark::from);
        // What somebody did to a thread is news whatever became of the thread.
        let usual: &[ThreadStatus] = if since.is_some() { &all } else { &[open] };
        let statuses = arguments.one_of("status", &statuses)?.unwrap_or(usual).to_vec();
        let details = [("line", Shown::Line), ("code", Shown::Code), ("full", Shown::Full)];
        let limit = arguments.number("limit", 1, MAX_ON_PAGE.into())?;
        Ok(Self {
            statuses,
            path: arguments.word("path")?,
            page: since.is_some().then(|| AnswerPage::asked(arguments)).transpose()?,
            since,
            shown: arguments.one_of("detail", &details)?.unwrap_or(Shown::Code),
            limit: limit.map_or(MAX_ON_PAGE, |limit| limit as u32),
            cursor: arguments.word("cursor")?,
        })
    }
}

/// A page of the list.
fn listed(asked: &mut Asked<'_>, wanted: &ThreadsAsked<'_>) -> Result<ToolAnswer, SessionError> {
    let paths = wanted.path.map(|path| ByteText::new(path.as_bytes())).into_iter().collect();
    let mut list = List {
        filter: Filter { statuses: wanted.statuses.clone(), paths, ..Filter::default() },
        detail: Detail::Comments,
        limit: Some(wanted.limit),
        cursor: wanted.cursor.map(str::to_owned),
        ..List::default()
    };
    let mut reply = asked.session.ask(list.clone())?;
    let blocks = blocks(asked.session, &reply.threads, wanted.shown);
    let fits = fitting(&blocks);
    if fits < reply.threads.len() {
        // The cursor is that of the last thread which is shown.
        list.limit = u32::try_from(fits).ok();
        reply = asked.session.ask(list)?;
    }
    let mut lines = vec![match reply.total {
        0 if wanted.cursor.is_none() => "no threads".to_owned(),
        total => format!("{} of {total} threads", reply.threads.len()),
    }];
    let shown = &blocks[..reply.threads.len().min(blocks.len())];
    lines.extend(shown.iter().flat_map(AnswerBlock::lines).cloned());
    lines.extend(reply.warnings.iter().map(warning));
    if let Some(next) = &reply.next {
        lines.push(format!("more: call again with cursor {next}"));
    }
    lines.push(format!("mark {}", reply.mark));
    Ok(ToolAnswer::ok(lines.join("\n")))
}

/// What changed since a mark.
fn changed(
    asked: &mut Asked<'_>,
    wanted: &ThreadsAsked<'_>,
    since: Mark,
) -> Result<ToolAnswer, SessionError> {
    let reply =
        asked.session.ask(Changes { since: Some(since), head: HeadName::WorkTree, ..Changes::default() })?;
    let end = vec![format!("mark {}", reply.mark)];
    if reply.reset {
        let told = "the mark is too old, or none of this repository: call `threads` without `since`";
        return Ok(ToolAnswer::error(told));
    }
    let threads: Vec<ThreadView> = reply
        .threads
        .into_iter()
        .filter(|thread| wanted.statuses.contains(&thread.status))
        .filter(|thread| wanted.path.is_none_or(|path| is_in(thread, path)))
        .collect();
    let head = match threads.len() {
        0 => "nothing changed".to_owned(),
        1 => "1 thread changed".to_owned(),
        count => format!("{count} threads changed"),
    };
    let blocks = blocks(asked.session, &threads, wanted.shown);
    Ok(wanted.page.unwrap_or_default().of(&[head], &blocks, &end))
}

/// Whether a thread is in a file, or in a folder.
fn is_in(thread: &ThreadView, path: &str) -> bool {
    let now = thread.position.as_ref().and_then(|position| position.path.as_ref());
    let file = now.or(thread.anchor.as_ref().map(|anchor| &anchor.path));
    let path = path.trim_end_matches('/').as_bytes();
    file.is_some_and(|file| {
        let rest = file.as_bytes().strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}
