//! Places in a file that a thread may belong to, as a list to choose from.

use maud::{Markup, html};
use postil_protocol::{ByteText, Side};

use crate::lines::NearbyPlace;
use crate::pages::file_key::{key, line_id, shown};
use crate::pages::snippet::{Snippet, SnippetMark};

/// So many lines of a place are shown.
const MAX_SHOWN: usize = 4;

/// The places, each with its lines.
pub(crate) fn nearby_list(path: &ByteText, lines: &[&str], places: &[NearbyPlace]) -> Markup {
    html! {
        ol.nearby aria-label="Places" {
            @for place in places {
                @let (first, last) = (place.start as usize - 1, place.end as usize);
                li {
                    div.candidate {
                        a href={ "#" (line_id(&key(path), Side::New, place.end)) } {
                            (shown(path)) ":" (place.start) @if place.end > place.start { "-" (place.end) }
                        }
                        span.quiet { (place.alike) " % alike" }
                        button.act type="button" data-act="move-to" data-path=(shown(path)) data-start=(place.start) data-end=(place.end) { "Move here" }
                    }
                    (snippet(&lines[first.min(lines.len())..last.min(lines.len())]))
                }
            }
        }
        @if places.is_empty() { p.quiet { "Nothing in " (shown(path)) " is like it. Try other words, or another file." } }
    }
}

fn snippet(lines: &[&str]) -> Markup {
    let mut snippet = Snippet::default();
    for line in lines.iter().take(MAX_SHOWN) {
        snippet.line(SnippetMark::Context, Some(line.as_bytes()));
    }
    if lines.len() > MAX_SHOWN {
        snippet
            .line(SnippetMark::Place, Some(format!("\u{2026} {} more", lines.len() - MAX_SHOWN).as_bytes()));
    }
    snippet.markup()
}
