//! What can be done at some lines: comment, and answer or end the threads that are there.
//!
//! The lines of the request decide, not the diagnostics that an editor sends along: some editors send none.

use std::ops::RangeInclusive;

use gen_lsp_types::{CodeAction, CodeActionKind, Command, Range};
use postil_live::LivePlace;
use postil_protocol::{CandidateView, PlaceState, ProposalStatus, SuggestionState, ThreadStatus};
use serde_json::{Value, json};

use crate::capabilities::EditorAbilities;
use crate::commands::marked::marker;
use crate::documents::document::OpenDocument;
use crate::shown::diagnostics::line;
use crate::shown::hover::proposed;
use crate::shown::shown_text::{beginning, shown_text};
use crate::shown::thread_at::ThreadAt;

/// So many places are offered for a thread as actions; of more, an editor that can ask is told to.
const MAX_PLACES: usize = 3;

/// So many characters of a marker line are in the title of its action.
const MAX_TITLE: usize = 40;

/// What can be done at the lines of a range.
pub(crate) fn at(
    document: &OpenDocument,
    uri: &str,
    range: &Range,
    editor: &EditorAbilities,
) -> Vec<CodeAction> {
    let lines = range.start.line..=range.end.line;
    let mut actions = Vec::new();
    if let Some(marker) = marker(document, range.start.line) {
        let title = format!(
            "Send this line as a comment: {}",
            beginning(marker.text.lines().next().unwrap_or_default(), MAX_TITLE)
        );
        let fix = Some(CodeActionKind::QuickFix);
        actions.push(action(&title, "postil.marker", from(uri, &lines), fix));
    }
    for thread in document.live.threads() {
        let is_there = match &thread.place {
            Some(LivePlace::At(at) | LivePlace::BeingEdited(at)) => {
                at.lines.start <= *lines.end() && *lines.start() < at.lines.end
            }
            Some(LivePlace::Gone(_)) | None => lines.contains(&line(thread)),
        };
        if is_there {
            of_thread(&thread.verified, editor, &mut actions);
        }
    }
    if editor.opens_files() {
        let here = json!({ "uri": uri, "range": range });
        actions.push(action("Comment here", "postil.comment", here, None));
    }
    if document.live.threads().iter().any(|thread| thread.verified.view.draft) {
        actions.push(action("Publish drafts", "postil.publish", json!({ "uri": uri }), None));
    }
    if editor.opens_files() {
        actions.push(action("List all threads", "postil.list", json!({ "uri": uri }), None));
        actions.push(action("Go to the next thread", "postil.next", from(uri, &lines), None));
        actions.push(action("Go to the previous thread", "postil.previous", from(uri, &lines), None));
    }
    actions
}

/// Whether an action is of a kind that was asked for. One of no kind is shown only if all are.
pub(crate) fn is_wanted(action: &CodeAction, only: &[CodeActionKind]) -> bool {
    only.iter().any(|kind| *kind == CodeActionKind::Empty || action.kind.as_ref() == Some(kind))
}

fn from(uri: &str, lines: &RangeInclusive<u32>) -> Value {
    json!({ "uri": uri, "line": lines.start() })
}

fn of_thread(thread: &ThreadAt, editor: &EditorAbilities, actions: &mut Vec<CodeAction>) {
    let view = &thread.view;
    let short = &view.short;
    let of = || json!({ "thread": view.id.as_str() });
    if editor.opens_files() {
        // First also in editors that put fixes first, where a wrong key would resolve it.
        let fix = Some(CodeActionKind::QuickFix);
        actions.push(action(&format!("Reply to {short}"), "postil.reply", of(), fix));
    }
    match view.status {
        ThreadStatus::Open => {
            let fix = Some(CodeActionKind::QuickFix);
            actions.push(action(&format!("Resolve {short}"), "postil.resolve", of(), fix));
        }
        ThreadStatus::Resolved => {
            actions.push(action(&format!("Reopen {short}"), "postil.reopen", of(), None));
        }
        ThreadStatus::Withdrawn => {}
    }
    if let Some(proposal) = view.proposals.iter().rfind(|one| one.state == ProposalStatus::Pending) {
        let says = proposed(proposal);
        let fix = Some(CodeActionKind::QuickFix);
        actions.push(action(&format!("Accept for {short}: {says}"), "postil.accept", of(), fix));
        actions.push(action(&format!("Decline for {short}: {says}"), "postil.decline", of(), None));
    }
    if view.suggestion == Some(SuggestionState::Applies) {
        let fix = Some(CodeActionKind::QuickFix);
        actions.push(action(&format!("Apply the suggestion of {short}"), "postil.apply", of(), fix));
    }
    let has_lines = view.anchor.as_ref().is_some_and(|anchor| !anchor.lines.is_empty());
    if has_lines && editor.opens_files() && thread.state() != PlaceState::Anchored {
        actions.push(action(&format!("Show what {short} was put on"), "postil.original", of(), None));
    }
    let Some(position) = &view.position else { return };
    if editor.asks_questions && position.candidates.len() > MAX_PLACES {
        actions.push(action(&format!("Choose where {short} belongs"), "postil.move", of(), None));
        return;
    }
    for (nth, candidate) in position.candidates.iter().enumerate().take(MAX_PLACES) {
        let of = json!({ "thread": view.id.as_str(), "candidate": nth + 1 });
        let title = format!("Move {short} to {}", place_of(candidate));
        actions.push(action(&title, "postil.move", of, None));
    }
}

/// A place that a thread may belong to, as a person reads it.
pub(crate) fn place_of(candidate: &CandidateView) -> String {
    let path = String::from_utf8_lossy(candidate.path.as_bytes()).into_owned();
    shown_text(&candidate.range.map_or(path.clone(), |range| format!("{path}:{range}")))
}

fn action(title: &str, command: &str, argument: Value, kind: Option<CodeActionKind>) -> CodeAction {
    let title = shown_text(title);
    CodeAction {
        title: title.clone(),
        kind,
        command: Some(Command {
            title,
            command: command.to_owned(),
            arguments: Some(vec![argument]),
            ..Command::default()
        }),
        ..CodeAction::default()
    }
}
