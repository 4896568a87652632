//! Why something cannot be shown: as a page, or where the rest of one would be.

use maud::{Markup, html};
use postil_protocol::WarningView;
use postil_words::sanitize;

use super::shell::{PageFrame, PageKind, page};

/// A page with a sentence, and what lies behind it.
pub(crate) fn notice(title: &str, causes: &[String], frame: &PageFrame<'_>) -> String {
    let body = html! {
        main.notice id="main" tabindex="-1" {
            h1 { (title) }
            @for cause in causes { p.quiet { (cause) } }
            p { a href={ (frame.prefix) "reviews" } { "All reviews" } " \u{b7} " a href={ (frame.prefix) "changes" } { "What is checked out" } }
        }
    };
    page(PageKind::Notice, title, &body, &[], frame)
}

/// What an answer could not read or do, besides: what is shown may not be everything.
pub(super) fn warnings(warnings: &[WarningView]) -> Markup {
    html! {
        @for warning in warnings {
            p.byline role="alert" { strong { "Warning: " } (sanitize::line(warning.what.as_bytes())) }
        }
    }
}

/// What stands where the rest of a page would be.
pub(crate) fn unfinished(why: &str) -> String {
    let note =
        html! { p.nothing role="alert" { "The rest could not be read: " (why) ". Load the page again." } };
    note.into_string()
}
