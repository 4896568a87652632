//! One comment: who, when, what vouches for it, and its text.

use maud::{Markup, PreEscaped, html};
use postil_protocol::CommentView;

use super::author::{avatar, vouched, who};
use super::suggestion::suggested;
use crate::markdown;
use crate::pages::shell::PageFrame;
use crate::pages::when::ago;

/// A comment of a thread.
pub(super) fn comment(view: &CommentView, frame: &PageFrame<'_>) -> Markup {
    let is_plain = !view.withdrawn;
    html! {
        li.comment id={ "c-" (view.short) } data-comment=(view.id.as_str()) {
            div.by {
                (avatar(&view.author))
                (who(&view.author))
                (ago(view.at, frame.now))
                @if view.edited.is_some() { span.quiet { "edited" } }
                @if view.draft { span.chip.draft { "draft" } }
                (vouched(view.trust, view.signature.as_ref()))
                @for tag in &view.tags { span.chip.tag { (tag) } }
            }
            @if is_plain {
                div.text { (PreEscaped(markdown::to_html(&view.text))) }
            } @else {
                p.text.quiet { "This comment was withdrawn." }
            }
            @if let Some(suggestion) = view.suggestion.as_ref().filter(|_| is_plain) { (suggested(suggestion, view, frame)) }
            @for proposed in &view.proposed {
                div.proposed {
                    p.quiet { (who(&proposed.author)) " proposes another text:" }
                    div.text { (PreEscaped(markdown::to_html(&proposed.text))) }
                }
            }
        }
    }
}
