//! A page that says one thing: why something cannot be shown.

use maud::html;

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
