//! Since when a page shows what changed: the choice above the files, and what is said of it.

use maud::{Markup, html};

use crate::looks::{Looks, SinceHow, SinceWhen};
use crate::pages::review_page::ReviewPage;
use crate::pages::shell::PageFrame;
use crate::shown_view::ShownView;

/// The choice: all changes, or those since one looked or judged.
pub(crate) fn since_choice(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let (Some(review), false) = (shown.review, matches!(shown.view, ShownView::Range { .. })) else {
        return html! {};
    };
    let own = |email: &str| frame.person.as_ref().is_some_and(|person| person.email == email);
    let is_judged = review.verdicts.iter().any(|verdict| own(&verdict.author.email));
    let link = |since: Option<SinceWhen>, word: &str, title: &str| {
        let looks = Looks { since, commit: None, found: None, ..shown.looks.clone() };
        let is_current = shown.looks.since == since && shown.looks.commit.is_none();
        html! { a.act href=(shown.address(&looks, frame)) title=(title) aria-current=[is_current.then_some("true")] { (word) } }
    };
    html! {
        span.since role="group" aria-label="Since when" {
            (link(None, "All changes", "Everything that the branch changes"))
            (link(Some(SinceWhen::Looked), "Since I looked", "What is new since the version that you looked at before"))
            @if is_judged { (link(Some(SinceWhen::Judged), "Since I judged", "What is new since your last verdict")) }
        }
    }
}

/// What is said above the files that changed since then.
pub(crate) fn since_note(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let (Some(since), Some(found)) = (shown.looks.since, &shown.looks.found) else { return html! {} };
    let then = &found.then[..found.then.len().min(8)];
    let did = match since {
        SinceWhen::Looked => "you looked at",
        SinceWhen::Judged => "your verdict on",
    };
    let all = shown.address(&Looks { since: None, found: None, ..shown.looks.clone() }, frame);
    html! {
        p.since-note {
            @match found.how {
                SinceHow::Unmoved => { "The branch has not moved since " (did) " " code { (then) } "." }
                SinceHow::Added => { "What is new since " (did) " " code { (then) } ": commits were added." }
                SinceHow::Rewritten(_) => {
                    "What is new since " (did) " " code { (then) } ": the branch was rewritten. Shown is what its own changes do "
                    "otherwise than then; what came with the base is left out."
                }
            }
            " " a href=(all) { "Show all changes" }
        }
    }
}
