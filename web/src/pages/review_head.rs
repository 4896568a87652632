//! The head of a page: what is reviewed, who judged it, and how much there is.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{
    ByteText, DiffReply, Hex, PlaceState, ReviewStatus, ReviewView, ThreadStatus, ThreadView, Verdict,
    VerdictView,
};

use super::file_section::counts;
use super::notice::warnings;
use super::shell::PageFrame;
use super::threads::ThreadGroups;
use super::threads::avatar;
use super::when::ago;
use crate::markdown;
use crate::shown_view::ShownView;

/// The name of a branch as people say it.
pub(super) fn branch(name: &ByteText) -> String {
    let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/"));
    short.map_or(name.clone(), str::to_owned)
}

/// The title of a page.
pub(super) fn title(view: &ShownView, review: Option<&ReviewView>, diff: &DiffReply) -> String {
    if let Some(review) = review {
        return review.title.clone();
    }
    match view {
        ShownView::Range { base, head: Some(head) } => format!("{base} \u{2026} {head}"),
        ShownView::Range { base, head: None } => format!("{base} \u{2026} files on disk"),
        ShownView::Current | ShownView::Review(_) => {
            diff.head.branch.as_ref().map_or_else(|| "Detached HEAD".to_owned(), branch)
        }
    }
}

/// The head of a page.
pub(super) fn review_head(
    view: &ShownView,
    review: Option<&ReviewView>,
    diff: &DiffReply,
    groups: &ThreadGroups<'_>,
    frame: &PageFrame<'_>,
) -> Markup {
    let short = |hex: &str| hex[..7.min(hex.len())].to_owned();
    html! {
        section.head id="head" aria-labelledby="title" data-review=[review.map(|review| review.id.as_str())] data-tip=[review.and_then(|review| review.tip.as_ref()).map(Hex::as_str)] {
            div.crumbs {
                @if let Some(review) = review {
                    (status(review))
                    span.branches {
                        span.vh { "Branch " } code.branch { (branch(&review.branch)) }
                        span.into { " into " } code.branch { (branch(&review.base)) }
                    }
                } @else if let (Some(name), ShownView::Current) = (&diff.head.branch, view) {
                    code.branch { (branch(name)) }
                }
                @if let Some(base) = &diff.base { span.quiet { "since " code { (short(base.as_str())) } } }
                @if diff.head.uncommitted || matches!(view, ShownView::Range { head: None, .. }) {
                    span.chip.disk title="Files on disk that differ from the commit are shown" { "with uncommitted changes" }
                }
                @if frame.is_writable {
                    div.doings data-js {
                        @if groups.left.suggestions > 0 || groups.all.iter().any(|thread| thread.suggestion.is_some()) {
                            button.button type="button" data-act="suggestions" { "Suggestions\u{2026}" }
                        }
                        button.button type="button" data-act="copy-all" title="Copy all open threads as Markdown, for a person or an agent" { "Copy threads" }
                        button.button type="button" data-act="review-comment" { "Comment on the whole" }
                        button.button type="button" data-act="finish" { "Finish\u{2026}" }
                    }
                }
            }
            h1 id="title" { (title(view, review, diff)) }
            @if let Some(review) = review {
                p.byline { (avatar(&review.author)) strong { (review.author.name) } " started this review " (ago(review.at, frame.now)) }
                @if !review.description.trim().is_empty() {
                    div.text.description { (PreEscaped(markdown::to_html(&review.description))) }
                }
            } @else if *view == ShownView::Current {
                p.byline.quiet { "There is no review of this branch yet. The first comment starts one." }
            }
            (warnings(&diff.warnings))
            div.facts {
                (numbers(diff, groups))
                @if let Some(review) = review { (verdicts(review, frame.now)) }
            }
        }
    }
}

fn status(review: &ReviewView) -> Markup {
    let word = match review.status {
        ReviewStatus::Open => "open",
        ReviewStatus::Merged => "merged",
        ReviewStatus::Closed => "closed",
    };
    html! { span class={ "chip status " (word) } { (word) } @if review.draft { span.chip.draft { "draft" } } }
}

fn numbers(diff: &DiffReply, groups: &ThreadGroups<'_>) -> Markup {
    let count = |is_it: &dyn Fn(&ThreadView) -> bool, left: u32| {
        groups.all.iter().filter(|thread| is_it(thread)).count() + left as usize
    };
    let is_open = |thread: &ThreadView| thread.status == ThreadStatus::Open;
    let open_at = |state: PlaceState, left: u32| {
        let state_of = |thread: &ThreadView| thread.position.as_ref().map(|found| found.state);
        count(&|thread| is_open(thread) && state_of(thread) == Some(state), left)
    };
    let open = count(&is_open, groups.left.open);
    let outdated = open_at(PlaceState::Outdated, groups.left.outdated);
    let orphaned = open_at(PlaceState::Orphaned, 0);
    let resolved = count(&|thread| thread.status == ThreadStatus::Resolved, groups.left.resolved);
    let comments = groups.all.iter().flat_map(|thread| &thread.comments);
    let drafts = comments.filter(|comment| comment.draft).count() + groups.left.drafts as usize;
    let (added, deleted) =
        diff.files.iter().fold((0, 0), |(added, deleted), file| (added + file.added, deleted + file.deleted));
    let many =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    html! {
        ul.numbers aria-label="Summary" {
            li { (many(diff.files.len(), "file", "files")) " " (counts(added, deleted)) }
            li { (many(open, "open thread", "open threads")) }
            @if outdated > 0 { li.outdated { (outdated) " outdated" } }
            @if orphaned > 0 { li.orphaned { a href="#orphans" { (orphaned) " without a place" } } }
            @if resolved > 0 { li { (resolved) " resolved" } }
            @if drafts > 0 { li.draft { (many(drafts, "draft", "drafts")) } }
        }
    }
}

fn verdicts(review: &ReviewView, now: u64) -> Markup {
    let newest = review.tip.as_ref();
    html! {
        @if !review.verdicts.is_empty() || !review.requested.is_empty() {
            ul.verdicts aria-label="Verdicts" {
                @for verdict in &review.verdicts { (one_verdict(verdict, newest.is_some_and(|tip| *tip == verdict.head), now)) }
                @for request in review.requested.iter().filter(|asked| !review.verdicts.iter().any(|given| given.author.email == asked.who.email)) {
                    li.verdict.waiting { (avatar(&request.who)) (request.who.name) " was asked" }
                }
            }
        }
    }
}

fn one_verdict(view: &VerdictView, is_current: bool, now: u64) -> Markup {
    let (sign, word, class) = match view.verdict {
        Verdict::Approve => ("\u{2713}", "approved", "approve"),
        Verdict::Changes => ("\u{2715}", "asks for changes", "changes"),
        Verdict::Comment => ("\u{2026}", "commented", "comment"),
    };
    html! {
        li class={ "verdict " (class) @if !is_current { " old" } } {
            span.sign aria-hidden="true" { (sign) }
            (avatar(&view.author)) span { strong { (view.author.name) } " " (word) }
            @if !is_current { span.quiet { "an earlier version" } }
            @if view.draft { span.chip.draft { "draft" } }
            (ago(view.at, now))
            @if !view.text.trim().is_empty() { div.text { (PreEscaped(markdown::to_html(&view.text))) } }
        }
    }
}
