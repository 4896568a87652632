//! Threads that postil itself exported, whole: as lines of JSON, or carried in a field of another format.

use postil_protocol::{
    ColumnUnit, CommentView, Expected, Hex, ImportedComment, ImportedFix, ImportedResolution, Person, Place,
    PlaceState, Side, Span, TextRange, ThreadStatus, ThreadView,
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
    let place = place(&thread)?;
    let (source, id) = origin(&thread);
    let rev = thread.anchor.as_ref().and_then(|anchor| anchor.commit.clone());
    let root = ImportedComment {
        place,
        message: thread.message.clone(),
        expected: expected(&thread),
        id: id.clone(),
        severity: thread.severity.clone(),
        tags: thread.tags.clone(),
        anchored: anchored(&thread)?,
        blob: thread.anchor.as_ref().and_then(|anchor| anchor.blob.clone()),
        resolved: ended(&thread, ThreadStatus::Resolved),
        withdrawn: ended(&thread, ThreadStatus::Withdrawn),
        ..imported_comment(first, &source, rev.as_ref())
    };
    let mut all = vec![root];
    for answer in answers {
        let parent = answer.parent.as_ref().map(|parent| parent.as_str().to_owned());
        // What answers something that is not here, such as a draft, answers the thread.
        let parent = parent.filter(|parent| all[1..].iter().any(|other| other.id == *parent));
        let parent = parent.unwrap_or_else(|| id.clone());
        let withdrawn = answer.withdrawn.then(|| ImportedResolution {
            author: known(&answer.author),
            at: Some(answer.edited.unwrap_or(answer.at)),
            reason: None,
            commit: None,
        });
        let answer = imported_comment(answer, &source, rev.as_ref());
        all.push(ImportedComment { parent: Some(parent), withdrawn, ..answer });
    }
    Ok(all)
}

/// How a thread ended, if it ended like this.
fn ended(thread: &ThreadView, status: ThreadStatus) -> Option<ImportedResolution> {
    let by = thread.status_by.as_ref().filter(|_| thread.status == status)?;
    Some(ImportedResolution {
        author: known(&by.author),
        at: Some(by.at),
        reason: by.reason.clone(),
        commit: by.commit.clone(),
    })
}

/// A comment; what it suggests was made for the files at `rev`.
fn imported_comment(comment: &CommentView, source: &str, rev: Option<&Hex>) -> ImportedComment {
    let diff = comment.suggestion.as_ref().and_then(|suggestion| suggestion.diff.clone());
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
        anchored: None,
        blob: None,
        withdrawn: None,
        fix: diff.map(|patch| ImportedFix::Patch { patch, rev: rev.map(ToString::to_string) }),
        exported: true,
        nameless: false,
    }
}

/// A person, who must have a name.
fn known(person: &Person) -> Person {
    if person.name.trim().is_empty() { person::named(&person.email) } else { person.clone() }
}

/// What its author put it on, if that is in a commit.
fn anchored(thread: &ThreadView) -> Result<Option<Place>, String> {
    let Some((anchor, commit)) =
        thread.anchor.as_ref().and_then(|anchor| Some((anchor, anchor.commit.as_ref()?)))
    else {
        return Ok(None);
    };
    // What was deleted is found again in the base that there is.
    if anchor.side == Side::Old {
        return Ok(None);
    }
    let file = Place { rev: Some(commit.to_string()), ..Place::file(checked(anchor.path.as_bytes())?) };
    if anchor.quote.is_some() {
        let (quote, prefix, suffix) = (anchor.quote.clone(), anchor.prefix.clone(), anchor.suffix.clone());
        return Ok(Some(Place { quote, prefix, suffix, ..file }));
    }
    Ok(Some(Place { span: span(anchor.range)?, ..file }))
}

/// Where it is now; what has no place any more, if it was.
fn place(thread: &ThreadView) -> Result<Option<Place>, String> {
    let Some(anchor) = &thread.anchor else { return Ok(None) };
    let position = thread.position.as_ref().filter(|position| position.path.is_some());
    let (path, side, range) = match position {
        Some(position) => (position.path.as_ref().unwrap_or(&anchor.path), position.side, position.range),
        None => (&anchor.path, Side::New, anchor.range),
    };
    let path = checked(path.as_bytes())?;
    Ok(Some(Place { span: span(range)?, side, ..Place::file(path) }))
}

fn checked(path: &[u8]) -> Result<&[u8], String> {
    if is_trackable(path) { Ok(path) } else { Err("its path is outside the repository".into()) }
}

fn span(range: Option<TextRange>) -> Result<Option<Span>, String> {
    if range.is_some_and(|range| range.start.line == 0 || range.start.line > range.end.line) {
        return Err("its last line is before its first".into());
    }
    Ok(range.map(|range| Span {
        start: range.start.line,
        end: range.end.line,
        start_column: range.start.column,
        end_column: range.end.column,
    }))
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
