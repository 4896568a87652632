//! Threads as diagnostics, which every editor shows: one for each line that has threads.

use std::collections::BTreeMap;
use std::path::Path;

use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Message, Position, Range,
};
use postil_live::{Encoding, LiveDocument, LivePlace, LiveThread, Text};
use postil_protocol::{PlaceState, SeverityView, Side, ThreadStatus};
use serde_json::json;

use crate::capabilities::EditorAbilities;
use crate::shown::shown_text::beginning;
use crate::shown::thread_at::ThreadAt;
use crate::uri::uri_of;

/// What diagnostics of this program are called.
const SOURCE: &str = "postil";

/// So many characters of a comment are shown.
const MAX_CHARS: usize = 120;

/// So many threads of a line are named.
const MAX_NAMED: usize = 10;

/// The diagnostics of a file with a text, in the order of its lines.
pub(crate) fn of_text(
    file: &Path,
    live: &LiveDocument<ThreadAt>,
    editor: &EditorAbilities,
) -> Vec<Diagnostic> {
    let mut lines: BTreeMap<u32, Vec<&LiveThread<ThreadAt>>> = BTreeMap::new();
    for thread in live.threads() {
        let is_shown = match thread.verified.view.status {
            ThreadStatus::Open => true,
            ThreadStatus::Resolved => editor.wants_resolved,
            ThreadStatus::Withdrawn => false,
        };
        if is_shown {
            lines.entry(line(thread)).or_default().push(thread);
        }
    }
    lines.into_iter().map(|(line, threads)| of_line(file, live.text(), line, &threads, editor)).collect()
}

/// The line to show a thread at: the first one if it has no lines.
pub(crate) fn line(thread: &LiveThread<ThreadAt>) -> u32 {
    thread.place.as_ref().map_or(0, LivePlace::line)
}

/// Whether a thread is at a line.
pub(crate) fn covers(thread: &LiveThread<ThreadAt>, at: u32) -> bool {
    match &thread.place {
        Some(LivePlace::At(range) | LivePlace::BeingEdited(range)) => range.lines.contains(&at),
        Some(LivePlace::Gone(_)) | None => line(thread) == at,
    }
}

fn of_line(
    file: &Path,
    text: &Text,
    line: u32,
    threads: &[&LiveThread<ThreadAt>],
    editor: &EditorAbilities,
) -> Diagnostic {
    let mut messages: Vec<String> = threads.iter().take(MAX_NAMED).map(|thread| message(thread)).collect();
    if threads.len() > MAX_NAMED {
        messages.push(format!("and {} more threads", threads.len() - MAX_NAMED));
    }
    let ids: Vec<&str> = threads.iter().map(|thread| thread.verified.view.id.as_str()).collect();
    let is_minor = |thread: &&LiveThread<ThreadAt>| {
        thread.verified.state() == PlaceState::Orphaned || !thread.verified.is_open()
    };
    let severity =
        if threads.iter().all(is_minor) { DiagnosticSeverity::Hint } else { DiagnosticSeverity::Information };
    Diagnostic {
        range: visible_line(text, line, editor.encoding),
        severity: Some(severity),
        code: Some(Code::String(threads[0].verified.view.short.clone())),
        code_description: None,
        source: Some(SOURCE.to_owned()),
        message: Message::String(messages.join("\n")),
        tags: None,
        related_information: related(file, text, threads, editor),
        data: Some(json!({ "threads": ids })),
    }
}

/// What the other comments of the threads of a line are, for editors that show such things.
fn related(
    file: &Path,
    text: &Text,
    threads: &[&LiveThread<ThreadAt>],
    editor: &EditorAbilities,
) -> Option<Vec<DiagnosticRelatedInformation>> {
    if !editor.shows_related {
        return None;
    }
    let replies = threads.iter().flat_map(|thread| {
        let at =
            Location { uri: uri_of(file).into(), range: visible_line(text, line(thread), editor.encoding) };
        thread.verified.view.comments.iter().skip(1).map(move |comment| DiagnosticRelatedInformation {
            location: at.clone(),
            message: said(&comment.author.name, &comment.text),
        })
    });
    let replies: Vec<DiagnosticRelatedInformation> = replies.take(MAX_NAMED).collect();
    (!replies.is_empty()).then_some(replies)
}

/// From the first to the last visible character of a line; never empty, unless the line is.
fn visible_line(text: &Text, line: u32, encoding: Encoding) -> Range {
    let line = line.min(text.len().saturating_sub(1));
    let bare = if text.is_empty() { "".into() } else { String::from_utf8_lossy(text.bare(line)) };
    let indent = bare.len() - bare.trim_start().len();
    let column = |part: &str| {
        let units = |c: char| match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        };
        part.chars().map(units).sum::<usize>() as u32
    };
    let (start, end) = (column(&bare[..indent.min(bare.trim_end().len())]), column(bare.trim_end()));
    Range {
        start: Position { line, character: start },
        end: Position { line, character: end.max(start + 1) },
    }
}

/// One line about a thread: `ann: why saturating? (+2, shifted 97 %)`.
fn message(thread: &LiveThread<ThreadAt>) -> String {
    about(&thread.verified, thread.place.as_ref())
}

/// The same for a thread of a document that need not be open.
pub(crate) fn about(thread: &ThreadAt, place: Option<&LivePlace>) -> String {
    let view = &thread.view;
    let comment = view.comments.first();
    let mut remarks = Vec::new();
    if view.replies > 0 {
        remarks.push(format!("+{}", view.replies));
    }
    if let Some(severity) = view.severity.as_ref().filter(|severity| **severity != SeverityView::Note) {
        remarks.push(beginning(severity.word(), MAX_CHARS));
    }
    match (place, view.position.as_ref()) {
        // One that is outdated already stays so: with slow keys it would change back and forth.
        (Some(LivePlace::BeingEdited(_)), _) if thread.state() != PlaceState::Outdated => {
            remarks.push("being edited".to_owned());
        }
        (Some(LivePlace::Gone(_)), _) => remarks.push("its lines are gone".to_owned()),
        (_, Some(position)) => match position.state {
            PlaceState::Anchored if position.side == Side::Old => remarks.push("on deleted lines".to_owned()),
            PlaceState::Anchored => {}
            PlaceState::Shifted => {
                remarks.push(format!("shifted {} %", position.confidence.per_mille() / 10));
            }
            PlaceState::Outdated => remarks.push("outdated".to_owned()),
            PlaceState::Orphaned => remarks.push("orphaned".to_owned()),
        },
        (_, None) => {}
    }
    if view.draft {
        remarks.push("draft".to_owned());
    }
    if view.status == ThreadStatus::Resolved {
        remarks.push("resolved".to_owned());
    }
    let said = match comment {
        Some(comment) => said(&comment.author.name, &comment.text),
        None => "a thread whose first comment is missing".to_owned(),
    };
    if remarks.is_empty() { said } else { format!("{said} ({})", remarks.join(", ")) }
}

/// Who said what, in one line.
fn said(who: &str, text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{}: {}", beginning(who, MAX_CHARS), beginning(first.trim(), MAX_CHARS))
}
