//! A thread as a card: its state as word, shape and colour, why and how sure, its comments, and what can be done.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{
    AnchorView, ByteText, CommentView, PlaceState, PositionView, ProposalStatus, SeverityView, Side,
    ThreadStatus, ThreadView,
};

use super::code_line::push_line;
use super::comment_body::{avatar, comment};
use super::file_key::{key, line_id, shown};
use super::position_words::{confidence, place, reason, word};
use super::shell::PageFrame;
use super::when::ago;

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
    let is_resolved = thread.status == ThreadStatus::Resolved;
    let mut class = format!("thread {}", status_word(thread.status));
    for word in state.map(word).into_iter().chain(thread.severity.as_ref().map(SeverityView::word)) {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        class = if is_plain { format!("{class} {word}") } else { class };
    }
    html! {
        article class=(class) id={ "t-" (thread.short) } tabindex="-1" aria-labelledby={ "h-" (thread.short) }
            data-thread=(thread.id.as_str()) data-file=(path.map(key).unwrap_or_default())
            data-side=(side_word(side)) data-line=[line] data-start=[start] data-place=(place_word(at)) {
            @if is_resolved {
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
    let said = thread.position.as_ref().zip(thread.anchor.as_ref());
    html! {
        div.thead {
            h3 id={ "h-" (thread.short) } { (heading(thread, at)) }
            @if thread.status == ThreadStatus::Resolved {
                span.chip.resolved { "resolved" }
                @if let Some(comment) = first { span.gist { (comment.author.name) ": " (gist(comment)) } }
            }
            @if let Some((position, anchor)) = said { (state(position, anchor)) }
            @if let Some(severity) = &thread.severity { span class={ "chip sev " (severity.word()) } { (severity.word()) } }
            @for tag in &thread.tags { span.chip.tag { (tag) } }
            @for what in &thread.disputed { span.chip.bad { "disputed: " (what) } }
            @if thread.status == ThreadStatus::Resolved {
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
fn heading(thread: &ThreadView, at: CardPlace) -> Markup {
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
                @if let Some(message) = &thread.message { span.at { "message of " (&message.commit.as_str()[..7.min(message.commit.as_str().len())]) } }
                @else { span.at { "whole review" } }
            }
            (CardPlace::Orphans, _) => {
                @if let Some(anchor) = &thread.anchor { span.at { (place(anchor)) } } @else { span.at { "no place" } }
            }
        }
    }
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

/// The shape of a state, so that it is told without colour: a dot, an arrow, a half circle, a broken ring.
fn shape(state: PlaceState) -> Markup {
    let path = match state {
        PlaceState::Anchored => "<circle cx=8 cy=8 r=4 fill=currentColor />",
        PlaceState::Shifted => {
            "<path d='M3 8h9M8.5 4.5 12 8l-3.5 3.5' fill=none stroke=currentColor stroke-width=1.8 stroke-linecap=round stroke-linejoin=round />"
        }
        PlaceState::Outdated => {
            "<circle cx=8 cy=8 r=5 fill=none stroke=currentColor stroke-width=1.8 /><path d='M8 3a5 5 0 0 1 0 10z' fill=currentColor />"
        }
        PlaceState::Orphaned => {
            "<circle cx=8 cy=8 r=5 fill=none stroke=currentColor stroke-width=1.8 stroke-dasharray='3 2.2' />"
        }
    };
    PreEscaped(format!("<svg viewBox='0 0 16 16' width=14 height=14 aria-hidden=true>{path}</svg>"))
}

fn inside(thread: &ThreadView, at: CardPlace, frame: &PageFrame<'_>) -> Markup {
    let is_changed = thread
        .position
        .as_ref()
        .is_some_and(|position| matches!(position.state, PlaceState::Outdated | PlaceState::Orphaned));
    html! {
        @if let Some(anchor) = thread.anchor.as_ref().filter(|_| is_changed) { (was(anchor, at)) }
        @if let Some(quote) = thread.anchor.as_ref().and_then(|anchor| anchor.quote.as_ref()) {
            blockquote.quote { (quote) }
        }
        @if at == CardPlace::Orphans { (candidates(thread, frame)) }
        ol.comments {
            @for view in &thread.comments { (comment(view, frame.now)) }
            @if thread.comments.is_empty() { li.comment.quiet { "The first comment of this thread is missing." } }
        }
        @for proposal in thread.proposals.iter().filter(|proposal| proposal.state == ProposalStatus::Pending) {
            p.proposal { (avatar(&proposal.author)) strong { (proposal.author.name) } " says that this is done." }
        }
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
                @if is_own(thread, frame) { button.act type="button" data-act="edit" { "Edit" } }
            }
            div.slot {}
        }
    }
}

/// Whether the person of the page started the thread, by hand.
fn is_own(thread: &ThreadView, frame: &PageFrame<'_>) -> bool {
    let own = frame.person.map(|person| person.email.as_str());
    thread
        .comments
        .first()
        .is_some_and(|first| own == Some(first.author.email.as_str()) && first.author.via.is_none())
}

/// The lines that a comment was put on, as its author saw them.
fn was(anchor: &AnchorView, at: CardPlace) -> Markup {
    let mut lines = String::new();
    let parts = [(&anchor.before, "k"), (&anchor.lines, "w"), (&anchor.after, "k")];
    for (part, class) in parts {
        for line in part {
            lines.push_str("<div class=");
            lines.push_str(class);
            lines.push('>');
            match line {
                Some(line) => push_line(&mut lines, line.as_bytes(), &[]),
                None => lines.push_str("<em>not kept</em>"),
            }
            lines.push_str("</div>");
        }
    }
    html! {
        details.was open[at == CardPlace::Orphans] {
            summary { "Put on " code { (place(anchor)) } }
            div.snippet { (PreEscaped(lines)) }
        }
    }
}

/// Where an orphan may belong.
fn candidates(thread: &ThreadView, frame: &PageFrame<'_>) -> Markup {
    let found = thread.position.as_ref().map(|position| position.candidates.as_slice()).unwrap_or_default();
    html! {
        @if !found.is_empty() {
            ul.candidates aria-label="Possible places" {
                @for (index, candidate) in found.iter().enumerate() {
                    li {
                        @let id = candidate.end.map(|end| line_id(&key(&candidate.path), Side::New, end));
                        a href={ "#" (id.unwrap_or_else(|| format!("f-{}", key(&candidate.path)))) } {
                            (shown(&candidate.path)) @if let Some(range) = candidate.range { ":" (range) }
                        }
                        span.quiet { (confidence(candidate.confidence.per_mille()).0) }
                        @if frame.is_writable {
                            button.act type="button" data-js data-act="move" data-candidate=(index + 1) { "Move here" }
                        }
                    }
                }
            }
        } @else if let Some(anchor) = &thread.anchor {
            p.quiet { "No place in " (shown(&anchor.path)) " is like it." }
        }
    }
}

/// The first words of a comment, on one line.
pub(super) fn gist(comment: &CommentView) -> String {
    let line = comment.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let short: String = line.chars().take(90).collect();
    if short.len() < line.len() { format!("{short}\u{2026}") } else { short }
}
