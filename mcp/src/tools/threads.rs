//! `threads`: the threads of what is checked out, or those that changed since a mark.

use postil_client::SessionError;
use postil_compact::{CompactDetail, CompactQuestion, PAGE_BYTES, compact_changes, list_text, plain_path};
use postil_protocol::{ByteText, Changes, Filter, HeadName, List, Mark, Scope, ThreadStatus};

use super::arguments::{Refused, ToolArguments};
use super::failing::failed;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

/// More threads than this are never on one page.
const MAX_ON_PAGE: u32 = 200;

/// What a call asks for.
struct ThreadsAsked {
    list: List,
    since: Option<Mark>,
    detail: CompactDetail,
}

pub(super) fn threads(asked: &mut Asked<'_>) -> ToolAnswer {
    let wanted = match ThreadsAsked::read(asked) {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    wanted.answer(asked).unwrap_or_else(|error| failed(&error))
}

impl ThreadsAsked {
    fn read(asked: &Asked<'_>) -> Result<Self, Refused> {
        let known = ["status", "path", "since", "detail", "limit", "cursor"];
        let arguments = ToolArguments::of(&asked.call.arguments, &known)?;
        let (open, resolved) = (ThreadStatus::Open, ThreadStatus::Resolved);
        let statuses: [(&str, &[ThreadStatus]); 3] =
            [("open", &[open]), ("resolved", &[resolved]), ("all", &[])];
        let since = arguments.word("since")?.map(Mark::from);
        // What somebody did to a thread is news whatever became of the thread.
        let usual: &[ThreadStatus] = if since.is_some() { &[] } else { &[open] };
        let statuses = arguments.one_of("status", &statuses)?.unwrap_or(usual).to_vec();
        let details =
            [("line", CompactDetail::Line), ("code", CompactDetail::Code), ("full", CompactDetail::Full)];
        let limit = arguments.number("limit", 1, MAX_ON_PAGE.into())?;
        let paths = arguments.word("path")?.map(|path| ByteText::new(path.as_bytes()));
        let filter = Filter { statuses, paths: paths.into_iter().collect(), ..Filter::default() };
        let limit = Some(limit.map_or(MAX_ON_PAGE, |limit| limit as u32));
        let cursor = arguments.word("cursor")?.map(str::to_owned);
        Ok(Self {
            list: List { filter, limit, cursor, ..List::default() },
            since,
            detail: arguments.one_of("detail", &details)?.unwrap_or_default(),
        })
    }

    fn answer(self, asked: &mut Asked<'_>) -> Result<ToolAnswer, SessionError> {
        let question = |list: List| CompactQuestion { list, detail: self.detail, most_bytes: PAGE_BYTES };
        let Some(since) = self.since else {
            let list = question(self.list).ask(|list| asked.session.ask(list))?;
            return Ok(ToolAnswer::ok(list_text(&list, &plain_path)));
        };
        let head = HeadName::WorkTree;
        let reply = asked.session.ask(Changes { since: Some(since), head, ..Changes::default() })?;
        if reply.reset {
            let told = "the mark is too old, or none of this repository: call `threads` without `since`";
            return Ok(ToolAnswer::error(told));
        }
        let changes = compact_changes(&reply.changes, &reply.threads);
        let mut list = postil_protocol::CompactList::default();
        let threads: Vec<String> = reply.threads.iter().map(|thread| thread.id.to_string()).collect();
        if !threads.is_empty() {
            let filter = Filter { threads, ..self.list.filter.clone() };
            let asks = List { filter, scope: Scope::All, ..self.list };
            list = question(asks).ask(|list| asked.session.ask(list))?;
        }
        list.warnings.extend(reply.warnings);
        // They may be newer than the mark: so nothing that happens meanwhile is missed.
        (list.changes, list.mark) = (changes, reply.mark);
        Ok(ToolAnswer::ok(list_text(&list, &plain_path)))
    }
}
