//! One comment: who, when, what vouches for it, and its text.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{CommentTrust, CommentView, Person, SuggestionState, SuggestionView};

use super::code_line::push_line;
use super::when::ago;
use crate::markdown;

/// The mark of a person: the first letters of their name, on one of eight colours.
pub(super) fn avatar(person: &Person) -> Markup {
    let letters: String = person
        .name
        .split_whitespace()
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .take(2)
        .flat_map(char::to_uppercase)
        .collect();
    let colour = blake3::hash(person.email.as_bytes()).as_bytes()[0] % 8;
    html! { span class=(format!("avatar c{colour}")) aria-hidden="true" { (letters) } }
}

/// A comment of a thread.
pub(super) fn comment(view: &CommentView, now: u64) -> Markup {
    let is_plain = !view.withdrawn;
    html! {
        li.comment id={ "c-" (view.short) } data-comment=(view.id.as_str()) {
            div.by {
                (avatar(&view.author))
                strong.who title=(view.author.email) { (view.author.name) }
                @if let Some(via) = &view.author.via {
                    span.chip.via title="Written by a program in this name" { (via.kind) ": " (via.program) }
                }
                (ago(view.at, now))
                @if view.edited.is_some() { span.quiet { "edited" } }
                @if view.draft { span.chip.draft { "draft" } }
                (trust(view))
            }
            @if is_plain {
                div.text { (PreEscaped(markdown::to_html(&view.text))) }
            } @else {
                p.text.quiet { "This comment was withdrawn." }
            }
            @if let Some(suggestion) = view.suggestion.as_ref().filter(|_| is_plain) { (suggested(suggestion)) }
            @for proposed in &view.proposed {
                div.proposed {
                    p.quiet { (proposed.author.name) " proposes another text:" }
                    div.text { (PreEscaped(markdown::to_html(&proposed.text))) }
                }
            }
        }
    }
}

fn trust(view: &CommentView) -> Markup {
    let why = view.signature.as_ref().and_then(|signature| signature.why.clone()).unwrap_or_default();
    html! {
        @match view.trust {
            CommentTrust::Signed => { span.chip.signed title="The signature is valid, and its key is trusted" { "signed" } }
            CommentTrust::Bad => { span.chip.bad title=(why) { "bad signature" } }
            CommentTrust::Here | CommentTrust::Unsigned => {}
        }
    }
}

/// A suggested change, as a diff.
fn suggested(view: &SuggestionView) -> Markup {
    let (word, class) = match view.state {
        SuggestionState::Applies => ("applies", "applies"),
        SuggestionState::Done => ("done already", "done"),
        SuggestionState::Conflict => ("conflicts with later changes", "conflict"),
        SuggestionState::Pending => ("cannot be checked here", "pending"),
    };
    let mut lines = String::new();
    if let Some(diff) = &view.diff {
        for line in diff.as_bytes().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if line.starts_with(b"---") || line.starts_with(b"+++") || line.starts_with(b"diff ") {
                continue;
            }
            let class = match line[0] {
                b'+' => "a",
                b'-' => "d",
                b'@' => "h",
                _ => "k",
            };
            lines.push_str("<div class=");
            lines.push_str(class);
            lines.push('>');
            push_line(&mut lines, line, &[]);
            lines.push_str("</div>");
        }
    }
    html! {
        figure.suggestion {
            figcaption { "Suggested change " span.chip.(class) { (word) } }
            div.snippet { (PreEscaped(lines)) }
        }
    }
}
