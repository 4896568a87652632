//! A thread as a card: its state as word, shape and colour, why and how sure, its comments, and what can be done.

use maud::{Markup, html};
use postil_protocol::{
    AnchorView, ByteText, CommentView, MessageView, PlaceState, PositionView, SeverityView, Side,
    ThreadStatus, ThreadView,
};

use super::comment_body::{comment, is_own};
use super::orphan_places::orphan_places;
use super::position_words::{confidence, place, reason, word};
use super::proposals::proposals;
use super::state_shape::shape;
use crate::pages::file_key::key;
use crate::pages::shell::{PageForm, PageFrame};
use crate::pages::snippet::{Snippet, SnippetMark};
use crate::pages::when::ago;

/// Where a card stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardPlace {
    /// At its last line.
    Line,
    /// At the top of its file.
    File,
    /// Among those about the whole review.
    Review,
    /// Among those without a place.
    Orphans,
}

impl CardPlace {
    /// The place of a thread whose line may not be shown.
    pub(crate) fn of(thread: &ThreadView) -> Self {
        match &thread.position {
            None => Self::Review,
            Some(position) if position.state == PlaceState::Orphaned => Self::Orphans,
            Some(position) if position.message.is_some() => Self::Review,
            Some(position) if position.end.is_none() => Self::File,
            Some(_) => Self::Line,
        }
    }
}

/// The card of a thread.
pub(crate) fn thread_card(thread: &ThreadView, at: CardPlace, frame: &PageFrame<'_>) -> Markup {
    let state = thread.position.as_ref().map(|position| position.state);
    let (side, path) = position_of(thread);
    let line = thread.position.as_ref().and_then(|position| position.end);
    let start = thread.position.as_ref().and_then(|position| position.start);
    // Only parts of lines are marked in the source; whole lines are said in the head of the card.
    let range = thread.position.as_ref().and_then(|position| position.range);
    let range = range.filter(|range| range.start.column.is_some());
    let is_resolved = thread.status == ThreadStatus::Resolved;
    let mut class = format!("thread {}", status_word(thread.status));
    for word in state.map(word).into_iter().chain(thread.severity.as_ref().map(SeverityView::word)) {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        class = if is_plain { format!("{class} {word}") } else { class };
    }
    html! {
        article class=(class) id={ "t-" (thread.short) } tabindex="-1" aria-labelledby={ "h-" (thread.short) }
            data-thread=(thread.id.as_str()) data-file=(path.map(key).unwrap_or_default())
            data-side=(side_word(side)) data-line=[line] data-start=[start] data-range=[range] data-place=(place_word(at)) {
            @if is_brief(thread, frame) {
                details.fold data-brief { summary { (head(thread, at, frame)) } }
            } @else if is_resolved {
                details.fold {
                    summary { (head(thread, at, frame)) }
                    (inside(thread, at, frame))
                }
            } @else {
                (head(thread, at, frame))
                (inside(thread, at, frame))
            }
        }
    }
}

/// Whether only the head of a card is shown until somebody opens it.
fn is_brief(thread: &ThreadView, frame: &PageFrame<'_>) -> bool {
    frame.is_brief || thread.cut
}

/// The path and the side that a thread is on now.
fn position_of(thread: &ThreadView) -> (Side, Option<&ByteText>) {
    let position = thread.position.as_ref();
    let path = position.and_then(|position| position.path.as_ref());
    let path = path.or_else(|| thread.anchor.as_ref().map(|anchor| &anchor.path));
    (position.map(|position| position.side).unwrap_or_default(), path)
}

fn side_word(side: Side) -> &'static str {
    if side == Side::Old { "old" } else { "new" }
}

fn place_word(at: CardPlace) -> &'static str {
    match at {
        CardPlace::Line => "line",
        CardPlace::File => "file",
        CardPlace::Review => "review",
        CardPlace::Orphans => "orphans",
    }
}

pub(super) fn status_word(status: ThreadStatus) -> &'static str {
    match status {
        ThreadStatus::Open => "open",
        ThreadStatus::Resolved => "resolved",
        ThreadStatus::Withdrawn => "withdrawn",
    }
}

fn head(thread: &ThreadView, at: CardPlace, frame: &PageFrame<'_>) -> Markup {
    let first = thread.comments.first();
    let is_folded = thread.status == ThreadStatus::Resolved || is_brief(thread, frame);
    let said = thread.position.as_ref().zip(thread.anchor.as_ref());
    html! {
        div.thead {
            h3 id={ "h-" (thread.short) } { (heading(thread, at, frame)) }
            @if thread.status == ThreadStatus::Resolved { span.chip.resolved { "resolved" } }
            @if is_folded {
                @if let Some(comment) = first { span.gist { (comment.author.name) ": " (gist(comment)) } }
            }
            @if let Some((position, anchor)) = said { (state(position, anchor)) }
            @if let Some(severity) = &thread.severity { span class={ "chip sev " (severity.word()) } { (severity.word()) } }
            @for tag in &thread.tags { span.chip.tag { (tag) } }
            @for what in &thread.disputed { span.chip.bad { "disputed: " (what) } }
            @if is_folded {
                // A fold is a control itself, and has none inside.
                span.perma { (thread.short) }
                @if let Some(by) = &thread.status_by { span.quiet { (by.author.name) " " (ago(by.at, frame.now)) } }
            } @else {
                a.perma href={ "#t-" (thread.short) } title="Link to this thread" { (thread.short) }
            }
        }
    }
}

/// What a screen reader hears of a thread first.
fn heading(thread: &ThreadView, at: CardPlace, frame: &PageFrame<'_>) -> Markup {
    let range = thread.position.as_ref().and_then(|position| position.range);
    let is_many = range.is_some_and(|range| range.start.line != range.end.line);
    let side = match (position_of(thread).0, is_many) {
        (Side::Old, false) => "removed line ",
        (Side::Old, true) => "removed lines ",
        (Side::New, false) => "line ",
        (Side::New, true) => "lines ",
    };
    html! {
        @match (at, range) {
            (CardPlace::Line, Some(range)) => {
                span.vh { "Thread on " } span.at { (side) (range) }
            }
            (CardPlace::File | CardPlace::Line, _) => { span.at { "whole file" } }
            (CardPlace::Review, _) => {
                @if let Some(message) = &thread.message {
                    @let (commit, place) = message_place(thread, message);
                    // A fold is a control itself, and has none inside; and a file leads nowhere.
                    @if frame.form == PageForm::Served && thread.status != ThreadStatus::Resolved {
                        a.at href={ "?commit=" (commit) } title="Show this commit" { (place) }
                    } @else { span.at { (place) } }
                }
                @else { span.at { "whole review" } }
            }
            (CardPlace::Orphans, _) => {
                @if let Some(anchor) = &thread.anchor { span.at { (place(anchor)) } } @else { span.at { "no place" } }
            }
        }
    }
}

/// The commit whose message a thread is on now, and where in it.
fn message_place<'a>(thread: &'a ThreadView, message: &'a MessageView) -> (&'a str, String) {
    let now = thread.position.as_ref().and_then(|position| position.message.as_ref());
    let commit = now.map_or(message.commit.as_str(), |now| now.commit.as_str());
    let range = thread.position.as_ref().and_then(|position| position.range).or(message.range);
    let of = format!("message of {}", &commit[..7.min(commit.len())]);
    let place = match range {
        Some(range) if range.start.line != range.end.line => format!("{of}, lines {range}"),
        Some(range) => format!("{of}, line {range}"),
        None => of,
    };
    (commit, place)
}

/// The state of a position: a shape, the word, why, and how sure.
fn state(position: &PositionView, anchor: &AnchorView) -> Markup {
    let why = reason(position, anchor);
    let (sure, bars) = confidence(position.confidence.per_mille());
    let is_moved = matches!(position.state, PlaceState::Shifted | PlaceState::Outdated);
    html! {
        @if position.state != PlaceState::Anchored || !why.is_empty() {
            span class={ "state " (word(position.state)) } { (shape(position.state)) (word(position.state)) }
            @if !why.is_empty() { span.why { (why) } }
            @if is_moved {
                span class={ "sure s" (bars) } title=(sure) { i {} i {} i {} i {} span.vh { (sure) } }
            }
        }
    }
}

fn inside(thread: &ThreadView, at: CardPlace, frame: &PageFrame<'_>) -> Markup {
    let is_changed = thread
        .position
        .as_ref()
        .is_some_and(|position| matches!(position.state, PlaceState::Outdated | PlaceState::Orphaned));
    html! {
        @if let Some(anchor) = thread.anchor.as_ref().filter(|_| is_changed) { (was(anchor, at)) }
        @if let Some(message) = &thread.message { (message_lines(message)) }
        @if let Some(quote) = thread.anchor.as_ref().and_then(|anchor| anchor.quote.as_ref()) {
            blockquote.quote { (quote) }
        }
        @if at == CardPlace::Orphans { (orphan_places(thread, frame)) }
        ol.comments {
            @for (at, view) in thread.comments.iter().enumerate() { (comment(view, at == 0, frame)) }
            @if thread.comments.is_empty() { li.comment.quiet { "The first comment of this thread is missing." } }
        }
        (proposals(thread, frame))
        @if let Some(reason) = thread.status_by.as_ref().and_then(|by| by.reason.as_ref()) {
            p.reason.quiet { "Reason: " (reason) }
        }
        (acts(thread, frame))
    }
}

fn acts(thread: &ThreadView, frame: &PageFrame<'_>) -> Markup {
    html! {
        @if frame.is_writable {
            div.acts data-js {
                button.act type="button" data-act="reply" { "Reply" }
                @if thread.status == ThreadStatus::Open {
                    button.act type="button" data-act="resolve" { "Resolve" }
                } @else {
                    button.act type="button" data-act="reopen" { "Reopen" }
                }
                @if thread.comments.first().is_some_and(|first| is_own(first, frame)) {
                    button.act type="button" data-act="edit" { "Edit" }
                    button.act type="button" data-act="withdraw" { "Withdraw" }
                }
                button.act type="button" data-act="timeline" aria-expanded="false" { "History" }
                button.act type="button" data-act="copy" title="Copy this thread as Markdown, with its lines" { "Copy" }
            }
            div.slot {}
        } @else {
            div.acts data-js {
                button.act type="button" data-act="timeline" aria-expanded="false" { "History" }
                button.act type="button" data-act="copy" title="Copy this thread as Markdown, with its lines" { "Copy" }
            }
        }
    }
}

/// The lines of a message that a comment was put on.
fn message_lines(message: &MessageView) -> Markup {
    let mut snippet = Snippet::default();
    for line in &message.lines {
        snippet.line(SnippetMark::Subject, line.as_ref().map(ByteText::as_bytes));
    }
    html! { @if !message.lines.is_empty() { div.was { (snippet.markup()) } } }
}

/// The lines that a comment was put on, as its author saw them.
fn was(anchor: &AnchorView, at: CardPlace) -> Markup {
    let mut snippet = Snippet::default();
    let parts = [
        (&anchor.before, SnippetMark::Context),
        (&anchor.lines, SnippetMark::Subject),
        (&anchor.after, SnippetMark::Context),
    ];
    for (lines, mark) in parts {
        for line in lines {
            snippet.line(mark, line.as_ref().map(ByteText::as_bytes));
        }
    }
    html! {
        details.was open {
            summary { "Put on " code { (place(anchor)) } @if let Some(commit) = &anchor.commit { " at " code { (&commit.as_str()[..7.min(commit.as_str().len())]) } } }
            div.sides {
                div { @if at != CardPlace::Orphans { p.quiet { "Then" } } (snippet.markup()) }
                @if at == CardPlace::Line { div.now hidden { p.quiet { "Now" } } }
            }
        }
    }
}

/// The first words of a comment, on one line.
pub(super) fn gist(comment: &CommentView) -> String {
    let line = comment.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let short: String = line.chars().take(90).collect();
    if short.len() < line.len() { format!("{short}\u{2026}") } else { short }
}
