//! What is above the files: how their changes are shown.

use maud::{Markup, html};

use super::layout::Layout;
use super::review_page::ReviewPage;
use super::shell::{PageForm, PageFrame};
use super::versions::{commit_picker, since_choice, since_note};
use crate::looks::Looks;

/// The bar above the files.
pub(super) fn diff_bar(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    if frame.form == PageForm::File {
        // A file is as it is.
        return Markup::default();
    }
    let looks = shown.looks;
    let other = Looks { ignore_space: !looks.ignore_space, ..looks.clone() };
    html! {
        div.looks id="looks" role="group" aria-label="How changes are shown" {
            button.act type="button" data-js data-act="layout" title="Unified or split (m)"
                aria-pressed=(if frame.layout == Layout::Split { "true" } else { "false" }) { "Split view" }
            a.act id="space" href=(shown.address(&other, frame)) title="Whether changes of white space alone are shown" {
                @if looks.ignore_space { "Show white space" } @else { "Hide white space" }
            }
            (since_choice(shown, frame))
            (commit_picker(shown, frame))
            @if frame.is_brief { span.quiet { "There are very many threads; each is folded until you open it." } }
            @if looks.ignore_space { span.quiet { "Changes of white space alone are not shown." } }
        }
        (since_note(shown, frame))
    }
}
