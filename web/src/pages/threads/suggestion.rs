//! A suggested change: its diff, what has become of it, both sides of a conflict, and the button to apply it.

use maud::{Markup, html};
use postil_protocol::{ByteText, CommentView, ConflictView, SuggestionState, SuggestionView};

use crate::pages::file_key::shown;
use crate::pages::shell::PageFrame;
use crate::pages::snippet::{Snippet, SnippetMark};

/// The word for what has become of a suggestion, and its class.
pub(crate) fn fate(state: SuggestionState) -> (&'static str, &'static str) {
    match state {
        SuggestionState::Applies => ("applies", "applies"),
        SuggestionState::Done => ("done already", "done"),
        SuggestionState::Conflict => ("conflicts with later changes", "conflict"),
        SuggestionState::Pending => {
            ("cannot be checked here: its files are not in this repository", "pending")
        }
    }
}

/// A suggested change of a comment.
pub(super) fn suggested(view: &SuggestionView, comment: &CommentView, frame: &PageFrame<'_>) -> Markup {
    let (word, class) = fate(view.state);
    html! {
        figure.suggestion {
            figcaption {
                "Suggested change " span.chip.(class) { (word) }
                @if view.files.len() > 1 { span.quiet { (view.files.len()) " files" } }
                @if frame.is_writable && view.state == SuggestionState::Applies {
                    button.act.apply type="button" data-js data-act="apply" data-suggestion=(comment.id.as_str()) { "Apply\u{2026}" }
                }
            }
            @if let Some(diff) = &view.diff { (Snippet::unified(diff.as_bytes()).markup()) }
            @for conflict in &view.conflicts { (both_sides(conflict)) }
        }
    }
}

/// A conflict: what was expected, and what was found instead.
pub(crate) fn both_sides(conflict: &ConflictView) -> Markup {
    let place = conflict.path.as_ref().map(|path| match conflict.line {
        Some(line) => format!("{}:{line}", shown(path)),
        None => shown(path),
    });
    let meeting = conflict.meeting.as_ref();
    html! {
        div.clash {
            p { strong { "Conflict" } @if let Some(place) = place { " at " code { (place) } } ": " (conflict.why) }
            @if !conflict.expected.is_empty() || !conflict.actual.is_empty() {
                div.sides {
                    (side("Made for", &conflict.expected))
                    (side("There now", &conflict.actual))
                }
            } @else if let Some(meeting) = meeting {
                div.sides {
                    (side("Suggested", std::slice::from_ref(&meeting.suggested.text)))
                    (side("There now", std::slice::from_ref(&meeting.typed.text)))
                }
            }
        }
    }
}

fn side(name: &str, texts: &[ByteText]) -> Markup {
    let mut snippet = Snippet::default();
    for text in texts {
        snippet.lines(SnippetMark::Subject, text.as_bytes());
    }
    html! {
        div {
            p.quiet { (name) }
            @if texts.iter().all(|text| text.as_bytes().is_empty()) { p.quiet { "nothing" } } @else { (snippet.markup()) }
        }
    }
}
