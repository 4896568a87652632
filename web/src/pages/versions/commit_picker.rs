//! The commits of what is compared: a list to choose one from.

use maud::{Markup, html};
use postil_protocol::DiffCommit;

use crate::looks::Looks;
use crate::pages::review_page::ReviewPage;
use crate::pages::shell::PageFrame;
use crate::pages::when::ago;

/// The subject and the rest of a message.
fn parts(commit: &DiffCommit) -> (String, String) {
    let message = String::from_utf8_lossy(commit.message.as_bytes()).into_owned();
    let (subject, rest) = message.split_once('\n').unwrap_or((&message, ""));
    (subject.trim().to_owned(), rest.trim().to_owned())
}

pub(super) fn short(commit: &DiffCommit) -> &str {
    let id = commit.commit.as_str();
    &id[..id.len().min(8)]
}

/// The one commit that is shown, and where it is among all.
pub(super) fn current<'a>(shown: &ReviewPage<'a>) -> Option<(usize, &'a DiffCommit)> {
    let id = shown.looks.commit.as_deref()?;
    shown.commits.iter().enumerate().find(|(_, commit)| commit.commit.as_str().starts_with(id))
}

/// The list to choose from; nothing if there is at most one commit.
pub(crate) fn commit_picker(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let count = shown.commits.len();
    if count < 2 && shown.looks.commit.is_none() {
        return html! {};
    }
    let at = current(shown).map(|(at, _)| at);
    let to = |at: Option<usize>| {
        let commit = at.and_then(|at| shown.commits.get(at)).map(|commit| commit.commit.to_string());
        shown.address(&Looks { commit, since: None, found: None, ..shown.looks.clone() }, frame)
    };
    let before = at.map_or(count.checked_sub(1), |at| at.checked_sub(1));
    let after = at.map_or(Some(0), |at| Some(at + 1)).filter(|at| *at < count);
    html! {
        details.pick id="commits" {
            summary.act { @if let Some(at) = at { "Commit " (at + 1) " of " (count) } @else { "All " (count) " commits" } }
            ol {
                li { a href=(to(None)) aria-current=[at.is_none().then_some("true")] { "All commits" } }
                @for (index, commit) in shown.commits.iter().enumerate() {
                    li {
                        a href=(to(Some(index))) aria-current=[(at == Some(index)).then_some("true")] {
                            code { (short(commit)) } span.subject { (parts(commit).0) }
                            span.quiet { (commit.author.name) ", " (ago(commit.at, frame.now)) }
                        }
                    }
                }
            }
        }
        @if let Some(before) = before { a.act href=(to(Some(before))) data-commit="before" title="Commit before (<)" { "\u{2190}" span.vh { " commit before" } } }
        @if let Some(after) = after { a.act href=(to(Some(after))) data-commit="after" title="Next commit (>)" { "\u{2192}" span.vh { " next commit" } } }
    }
}
