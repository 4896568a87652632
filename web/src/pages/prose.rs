//! A Markdown file as it reads, now and before the change.

use maud::{Markup, PreEscaped, html};
use postil_core::edit::markdown::is_markdown_name;
use postil_protocol::DiffFile;

use super::file_key::{known_path, shown};

/// A file as it reads.
#[derive(Debug)]
pub(crate) struct ProseSides {
    /// Its path.
    pub path: String,
    /// As it is now; `None` if it was deleted.
    pub new: Option<String>,
    /// As it was; `None` if it is new.
    pub old: Option<String>,
    /// What tells the page as it is now from another one.
    pub digest: String,
}

/// The button that shows a file as it reads, if it is one that people read.
pub(super) fn prose_button(file: &DiffFile) -> Markup {
    let path = known_path(file);
    html! {
        @if !file.binary && is_markdown_name(path.as_bytes()) {
            button.act type="button" data-js data-act="prose" aria-pressed="false" aria-label={ "Show " (shown(path)) " as it reads" } { "Rendered" }
        }
    }
}

/// A file as it reads; the side that is not shown at first is hidden.
pub(crate) fn prose_sides(sides: &ProseSides) -> Markup {
    let both = sides.new.is_some() && sides.old.is_some();
    let page = |side: &str, html: &str, is_hidden: bool| {
        html! {
            div.page.text data-side=(side) hidden[is_hidden] role="document" aria-label={ (sides.path) ", " @if side == "old" { "before" } @else { "now" } } {
                @if html.is_empty() { p.quiet { "There is nothing to read in this file." } }
                (PreEscaped(html))
            }
        }
    };
    html! {
        div.prose data-digest=(sides.digest) {
            @if both {
                div.switch role="group" aria-label="Version" {
                    button.act type="button" data-act="prose-side" data-side="new" aria-pressed="true" { "Now" }
                    button.act type="button" data-act="prose-side" data-side="old" aria-pressed="false" { "Before" }
                    span.quiet { "Select words to comment on them." }
                }
            }
            @if let Some(html) = &sides.new { (page("new", html, false)) }
            @if let Some(html) = &sides.old { (page("old", html, sides.new.is_some())) }
        }
    }
}
