//! Threads that postil itself exported, whole: as lines of JSON, or carried in a field of another format.

use postil_protocol::{
    ColumnUnit, CommentView, Expected, ImportedComment, ImportedResolution, Person, Place, PlaceState, Side,
    Span, ThreadStatus, ThreadView,
};
use serde_json::Value;

use super::super::field::parse;
use super::super::import_tags::{OWN, origin};
use super::super::path::is_trackable;
use super::super::person;
use super::super::report::{FormatError, Report};

/// Reads lines of JSON, a thread each.
pub fn threads(bytes: &[u8]) -> Result<Report, FormatError> {
    let mut report = Report::default();
    report.add_source(OWN);
    let mut is_any = false;
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let name = format!("line {}", at + 1);
        match parse(line) {
            Ok(value) => {
                is_any |= value.get("anchor").is_some() || value.get("message").is_some();
                match thread(&value) {
                    Ok(comments) => report.comments.extend(comments),
                    Err(reason) => report.refuse(name, reason),
                }
            }
            Err(error @ FormatError::TooLarge { .. }) => return Err(error),
            Err(_) => report.refuse(name, "not valid JSON"),
        }
    }
    if is_any || report.refused.is_empty() {
        Ok(report)
    } else {
        Err(FormatError::Another("a file exported by postil: no line is a thread"))
    }
}

/// Reads one thread: its first comment, and the answers to it.
pub fn thread(value: &Value) -> Result<Vec<ImportedComment>, String> {
    let thread: ThreadView =
        serde_json::from_value(value.clone()).map_err(|error| format!("not a postil thread: {error}"))?;
    let Some((first, answers)) = thread.comments.split_first() else {
        return Err("its first comment is missing".into());
    };
    if thread.status == ThreadStatus::Withdrawn {
        return Ok(Vec::new());
    }
    let place = place(&thread)?;
    let (source, id) = origin(&thread);
    let root = ImportedComment {
        place,
        message: thread.message.clone(),
        expected: expected(&thread),
        id: id.clone(),
        severity: thread.severity.clone(),
        tags: thread.tags.clone(),
        resolved: match (thread.status, &thread.status_by) {
            (ThreadStatus::Resolved, Some(by)) => Some(ImportedResolution {
                author: known(&by.author),
                at: Some(by.at),
                reason: by.reason.clone(),
            }),
            _ => None,
        },
        ..imported_comment(first, &source)
    };
    let mut all = vec![root];
    for answer in answers.iter().filter(|answer| !answer.withdrawn) {
        let parent = answer.parent.as_ref().map(|parent| parent.as_str().to_owned());
        // What answers something that was taken back answers the thread.
        let parent = parent.filter(|parent| all[1..].iter().any(|other| other.id == *parent));
        let parent = parent.unwrap_or_else(|| id.clone());
        all.push(ImportedComment { parent: Some(parent), ..imported_comment(answer, &source) });
    }
    Ok(all)
}

fn imported_comment(comment: &CommentView, source: &str) -> ImportedComment {
    ImportedComment {
        source: source.to_owned(),
        id: comment.id.as_str().to_owned(),
        author: known(&comment.author),
        at: Some(comment.at),
        edited: comment.edited,
        parent: None,
        review: None,
        place: None,
        message: None,
        columns: ColumnUnit::Bytes,
        expected: None,
        text: comment.text.clone(),
        severity: None,
        tags: Vec::new(),
        verdict: None,
        resolved: None,
        exported: true,
    }
}

/// A person, who must have a name.
fn known(person: &Person) -> Person {
    if person.name.trim().is_empty() { person::named(&person.email) } else { person.clone() }
}

/// Where it is now; what has no place any more, if it was.
fn place(thread: &ThreadView) -> Result<Option<Place>, String> {
    let Some(anchor) = &thread.anchor else { return Ok(None) };
    let position = thread.position.as_ref().filter(|position| position.path.is_some());
    let (path, side, range) = match position {
        Some(position) => (position.path.as_ref().unwrap_or(&anchor.path), position.side, position.range),
        None => (&anchor.path, Side::New, anchor.range),
    };
    if !is_trackable(path.as_bytes()) {
        return Err("its path is outside the repository".into());
    }
    if range.is_some_and(|range| range.start.line == 0 || range.start.line > range.end.line) {
        return Err("its last line is before its first".into());
    }
    let span = range.map(|range| Span {
        start: range.start.line,
        end: range.end.line,
        start_column: range.start.column,
        end_column: range.end.column,
    });
    Ok(Some(Place { span, side, ..Place::file(path.as_bytes()) }))
}

/// The text that it is about, where that has not changed.
fn expected(thread: &ThreadView) -> Option<Expected> {
    let (anchor, position) = (thread.anchor.as_ref()?, thread.position.as_ref()?);
    if position.state == PlaceState::Outdated || position.side == Side::Old {
        return None;
    }
    let text = |line: &Option<postil_protocol::ByteText>| {
        line.as_ref().and_then(|line| line.as_str()).map(|line| line.trim().to_owned())
    };
    Some(Expected {
        line: text(anchor.lines.first()?)?,
        before: anchor.before.last().and_then(text),
        after: if anchor.lines.len() == 1 { anchor.after.first().and_then(text) } else { None },
        part: false,
    })
}
