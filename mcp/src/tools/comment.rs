//! `comment`: new threads and replies, each done or refused by its index.

use postil_client::Session;
use postil_protocol::{
    ByteText, Comment, Detail, Filter, List, Mark, Place, ReplyTo, Scope, SeverityView, Show, Span, Suggest,
};
use serde_json::Value;

use super::arguments::{Refused, ToolArguments};
use super::definitions::MAX_ITEMS;
use super::failing::told;
use super::review_tools::Asked;
use crate::listing::read_inside;
use crate::wire::toolbox::ToolAnswer;

/// What an item can have.
const KNOWN: [&str; 8] = ["text", "reply_to", "path", "lines", "code", "suggestion", "severity", "key"];

/// What the tag begins with by which a comment with a key is known again.
const KEY_TAG: &str = "key:";

/// One thing to write.
struct Item<'a> {
    text: &'a str,
    reply_to: Option<&'a str>,
    path: Option<&'a str>,
    lines: Option<(u32, u32)>,
    code: Option<&'a str>,
    suggestion: Option<&'a str>,
    severity: Option<SeverityView>,
    key: Option<&'a str>,
}

/// What became of an item.
struct WrittenItem {
    short: String,
    note: &'static str,
    mark: Mark,
}

pub(super) fn comment(asked: &mut Asked<'_>, draft: bool) -> ToolAnswer {
    let given =
        ToolArguments::of(&asked.call.arguments, &["items"]).and_then(|given| given.list("items", MAX_ITEMS));
    let items = match given {
        Ok(items) => items,
        Err(refused) => return refused,
    };
    let (mut lines, mut refused, mut mark) = (Vec::new(), 0, None);
    for (index, item) in items.iter().enumerate() {
        let written = Item::read(item).map_err(|refused| refused.text);
        match written.and_then(|item| write(asked.session, &item, draft)) {
            Ok(written) => {
                lines.push(format!("{index}: {}{}", written.short, written.note));
                mark = Some(written.mark);
            }
            Err(why) => {
                refused += 1;
                lines.push(format!("{index}: refused: {why}"));
            }
        }
    }
    if draft && refused < items.len() {
        lines.push("kept as drafts, which a person publishes".to_owned());
    }
    lines.extend(mark.map(|mark| format!("mark {mark}")));
    ToolAnswer { text: lines.join("\n"), is_error: refused == items.len() }
}

impl<'a> Item<'a> {
    fn read(item: &'a Value) -> Result<Self, Refused> {
        let Value::Object(item) = item else { return Err(ToolAnswer::error("an item must be an object")) };
        let given = ToolArguments::of(item, &KNOWN)?;
        let severities = ["note", "nit", "question", "issue", "blocker", "praise"].map(|word| (word, word));
        let severity = given.one_of("severity", &severities)?.map(|word| SeverityView::from(word.to_owned()));
        let text = given.text("text")?.filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| ToolAnswer::error("`text` is missing"))?;
        let lines = given.word("lines")?.map(|lines| {
            span(lines).ok_or_else(|| ToolAnswer::error("`lines` must be like 12 or 12-14; lines start at 1"))
        });
        let item = Self {
            text,
            reply_to: given.word("reply_to")?,
            path: given.word("path")?,
            lines: lines.transpose()?,
            code: given.text("code")?,
            suggestion: given.text("suggestion")?,
            severity,
            key: given.word("key")?,
        };
        match (item.reply_to, item.path) {
            (Some(_), Some(_)) => Err(ToolAnswer::error("give `reply_to` or `path`, not both")),
            (None, None) if item.lines.is_some() => Err(ToolAnswer::error("`lines` need a `path`")),
            _ if item.lines.is_none() && item.path.is_some() && item.suggestion.is_some() => {
                Err(ToolAnswer::error("a `suggestion` needs `lines` to replace"))
            }
            _ => Ok(item),
        }
    }
}

fn span(lines: &str) -> Option<(u32, u32)> {
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let (start, end): (u32, u32) = (start.trim().parse().ok()?, end.trim().parse().ok()?);
    (start >= 1 && end >= start).then_some((start, end))
}

fn write(session: &mut Session, item: &Item<'_>, draft: bool) -> Result<WrittenItem, String> {
    let suggestion = item.suggestion.map(|text| {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Suggest::Replacement(ByteText::new(format!("{text}{end}").as_bytes()))
    });
    let (text, failed) = (item.text.to_owned(), |error| told(&error));
    if let Some(to) = item.reply_to {
        if item.key.is_some()
            && let Some(there) = same_reply(session, to, item.text)
        {
            return Ok(there);
        }
        let reply = ReplyTo { to: to.to_owned(), text, suggestion, draft, resolve: false };
        let reply = session.write(reply).map_err(failed)?;
        return Ok(WrittenItem { short: reply.thread.short, note: "", mark: reply.mark });
    }
    if let Some(there) = item.key.and_then(|key| with_key(session, key)) {
        return Ok(there);
    }
    let (mut place, mut note) = (None, "");
    if let Some(path) = item.path {
        let mut lines = item.lines;
        if let (Some((start, end)), Some(code)) = (lines, item.code) {
            let found = checked(session, path, start, code)?;
            if found != start {
                note = ", moved to the lines that have this code";
                lines = Some((found, found + (end - start)));
            }
        }
        let span = lines.map(|(start, end)| Span::lines(start, end));
        place = Some(Place { span, ..Place::file(path) });
    }
    let comment = Comment {
        place,
        message: None,
        text,
        severity: item.severity.clone(),
        tags: item.key.map(|key| format!("{KEY_TAG}{key}")).into_iter().collect(),
        review: None,
        suggestion,
        draft,
    };
    let reply = session.write(comment).map_err(failed)?;
    Ok(WrittenItem { short: reply.thread.short, note, mark: reply.mark })
}

/// The thread that was written with this key.
fn with_key(session: &mut Session, key: &str) -> Option<WrittenItem> {
    let tags = vec![format!("{KEY_TAG}{key}")];
    let filter = Filter { tags, ..Filter::default() };
    let list = List { scope: Scope::All, filter, detail: Detail::Line, limit: Some(1), ..List::default() };
    let reply = session.ask(list).ok()?;
    let short = reply.lines.first()?.short.clone();
    Some(WrittenItem { short, note: ", written before with this key", mark: reply.mark })
}

/// The thread, if it has this reply already.
fn same_reply(session: &mut Session, to: &str, text: &str) -> Option<WrittenItem> {
    let own = postil_client::OwnActs::of(session.via(), session.email());
    let reply = session.ask(Show { of: to.to_owned(), ..Show::default() }).ok()?;
    let is_same =
        reply.thread.comments.iter().any(|said| said.text.trim() == text.trim() && own.is_by(&said.author));
    is_same.then_some(WrittenItem {
        short: reply.thread.short,
        note: ", written before with this key",
        mark: reply.mark,
    })
}

/// The line that has this code: the given one, or the only other one that has it.
fn checked(session: &Session, path: &str, line: u32, code: &str) -> Result<u32, String> {
    let expected = code.lines().next().unwrap_or_default().trim();
    // A file that cannot be read is refused by the service, with what to do; one outside of the repository is not looked at.
    let Some(lines) = read_inside(session.checkout(), path.as_bytes()) else { return Ok(line) };
    let has_code = |found: &[u8]| found.trim_ascii() == expected.as_bytes();
    let places: Vec<u32> =
        lines.iter().zip(1..).filter(|(found, _)| has_code(found)).map(|(_, number)| number).collect();
    match places[..] {
        _ if places.contains(&line) => Ok(line),
        [only] => Ok(only),
        [] => Err(format!("line {line} does not have this `code`, and no other line has it")),
        _ => {
            let nearest = places.iter().min_by_key(|place| place.abs_diff(line)).unwrap_or(&line);
            Err(format!(
                "line {line} does not have this `code`; the nearest of {} that do is {nearest}",
                places.len()
            ))
        }
    }
}
