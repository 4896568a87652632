//! Where an orphan may belong: candidates, the lines around the place where it stood, and any other place.

use maud::{Markup, html};
use postil_protocol::{Side, ThreadView};

use super::position_words::{confidence, place};
use crate::pages::file_key::{key, line_id, shown};
use crate::pages::shell::PageFrame;

/// Ways to give an orphan a place.
pub(super) fn orphan_places(thread: &ThreadView, frame: &PageFrame<'_>) -> Markup {
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
        @if frame.is_writable {
            div.acts.places-acts data-js {
                @if let Some(anchor) = &thread.anchor {
                    button.act type="button" data-act="nearby" data-path=(shown(&anchor.path)) aria-expanded="false" { "Search nearby\u{2026}" }
                }
                button.act type="button" data-act="pick" { "Pick a line\u{2026}" }
                button.act type="button" data-act="place" data-was=[thread.anchor.as_ref().map(place)] { "Name a place\u{2026}" }
            }
        }
    }
}
