//! The commits of what is compared: a list to choose one from, and the message of the one that is shown.

use maud::{Markup, html};
use postil_protocol::{DiffCommit, PlaceState, ThreadView};

use super::review_page::ReviewPage;
use super::shell::PageFrame;
use super::threads::{CardPlace, thread_card};
use super::when::ago;
use crate::looks::Looks;

/// The subject and the rest of a message.
fn parts(commit: &DiffCommit) -> (String, String) {
    let message = String::from_utf8_lossy(commit.message.as_bytes()).into_owned();
    let (subject, rest) = message.split_once('\n').unwrap_or((&message, ""));
    (subject.trim().to_owned(), rest.trim().to_owned())
}

fn short(commit: &DiffCommit) -> &str {
    let id = commit.commit.as_str();
    &id[..id.len().min(8)]
}

/// The one commit that is shown, and where it is among all.
fn current<'a>(shown: &ReviewPage<'a>) -> Option<(usize, &'a DiffCommit)> {
    let id = shown.looks.commit.as_deref()?;
    shown.commits.iter().enumerate().find(|(_, commit)| commit.commit.as_str().starts_with(id))
}

/// The list to choose from; nothing if there is at most one commit.
pub(super) fn commit_picker(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let count = shown.commits.len();
    if count < 2 && shown.looks.commit.is_none() {
        return html! {};
    }
    let at = current(shown).map(|(at, _)| at);
    let to = |at: Option<usize>| {
        let commit = at.and_then(|at| shown.commits.get(at)).map(|commit| commit.commit.to_string());
        shown.address(&Looks { commit, ..shown.looks.clone() }, frame)
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

/// The message of the commit that is shown, with the threads on it.
pub(super) fn commit_message(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let Some((_, commit)) = current(shown) else { return html! {} };
    let (subject, rest) = parts(commit);
    html! {
        section.panel.message id="message" aria-labelledby="message-title" {
            h2 id="message-title" { (subject) }
            p.quiet { code { (short(commit)) } " by " (commit.author.name) ", " (ago(commit.at, frame.now)) }
            @if !rest.is_empty() { pre { (rest) } }
            @for thread in shown.diff.threads.iter().filter(|thread| is_on(thread, commit)) {
                (thread_card(thread, CardPlace::Review, frame))
            }
        }
    }
}

/// Whether a thread is on the message of a commit.
pub(super) fn is_on(thread: &ThreadView, commit: &DiffCommit) -> bool {
    let position = thread.position.as_ref().filter(|position| position.state != PlaceState::Orphaned);
    position.and_then(|position| position.message.as_ref()).is_some_and(|site| site.commit == commit.commit)
}
