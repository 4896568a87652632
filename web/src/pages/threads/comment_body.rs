//! One comment: who, when, what vouches for it, and its text.

use maud::{Markup, PreEscaped, html};
use postil_protocol::CommentView;

use super::author::{avatar, vouched, who};
use super::suggestion::suggested;
use crate::markdown;
use crate::pages::shell::PageFrame;
use crate::pages::when::ago;

/// A comment of a thread: its first one, for which the buttons of the thread are, or a reply, which has its own.
pub(super) fn comment(view: &CommentView, is_first: bool, frame: &PageFrame<'_>) -> Markup {
    let is_plain = !view.withdrawn;
    let is_editable = frame.is_writable && is_plain && !is_first && is_own(view, frame);
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
                @if is_editable {
                    span.spacer {}
                    button.act type="button" data-js data-act="edit" data-of=(view.id.as_str()) { "Edit" }
                    button.act type="button" data-js data-act="withdraw" data-of=(view.id.as_str()) { "Withdraw" }
                }
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

/// Whether the person of the page wrote it, by hand.
pub(super) fn is_own(view: &CommentView, frame: &PageFrame<'_>) -> bool {
    let own = frame.person.as_ref().map(|person| person.email.as_str());
    own == Some(view.author.email.as_str()) && view.author.via.is_none()
}

#[cfg(test)]
mod tests {
    use postil_protocol::{Person, ThreadView};

    use super::super::super::samples::{frame, thread};
    use super::*;

    #[test]
    fn a_reply_of_ones_own_can_be_edited_and_those_of_others_cannot() {
        let sample: ThreadView =
            serde_json::from_value(thread("aa", "anchored", "new", Some(1), "text")).unwrap();
        let mut view = sample.comments[0].clone();
        let person: Person =
            serde_json::from_value(serde_json::json!({ "name": "Ann", "email": "a@b" })).unwrap();
        let own = || PageFrame { person: Some(person.clone()), ..frame() };
        let can = |view: &CommentView, is_first, frame: &PageFrame<'_>| {
            comment(view, is_first, frame).into_string().contains("data-act=\"edit\" data-of=\"aa\"")
        };
        assert!(can(&view, false, &own()));
        assert!(!can(&view, true, &own()), "the buttons of the thread are for its first comment");
        assert!(!can(&view, false, &PageFrame { is_writable: false, ..own() }));
        view.author.email = "b@c".to_owned();
        assert!(!can(&view, false, &own()));
    }
}
