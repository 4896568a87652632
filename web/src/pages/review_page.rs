//! The page of a review: head, files, threads.

use maud::{Markup, html};
use postil_protocol::{DiffReply, Hex, ReviewView};

use super::file_section::file_section;
use super::file_tree::file_tree;
use super::review_head::{review_head, title};
use super::shell::{PageFrame, PageKind, page};
use super::thread_groups::{ThreadGroups, about_review, orphans};
use crate::shown_view::ShownView;

/// What the page of a review shows.
#[derive(Debug)]
pub(crate) struct ReviewPage<'a> {
    /// What was asked for.
    pub view: &'a ShownView,
    /// The review, if there is one.
    pub review: Option<&'a ReviewView>,
    /// The diff with its threads.
    pub diff: &'a DiffReply,
}

/// The whole page.
pub(crate) fn review_page(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> String {
    let groups = ThreadGroups::of(shown.diff);
    let files = shown.diff.files.len();
    let body = html! {
        div.review {
            (review_head(shown.view, shown.review, shown.diff, &groups, frame))
            div.columns {
                nav.tree id="tree" aria-label="Files" { (tree(shown.diff)) }
                main.main id="main" tabindex="-1" {
                    (about_review(&groups, frame))
                    (orphans(&groups, frame))
                    div.files id="files" {
                        @for file in &shown.diff.files { (file_section(file, frame)) }
                        @if files == 0 {
                            p.empty { "Nothing differs from the base." }
                        }
                    }
                }
            }
        }
    };
    let mark = shown.diff.mark.to_string();
    let path = shown.view.path();
    let review = shown.review.map(|review| review.id.as_str()).unwrap_or_default();
    // What is not checked out is commented on in its commit.
    let is_elsewhere = *shown.view != ShownView::Current && shown.diff.head.branch.is_none();
    let rev = shown.diff.head.commit.as_ref().filter(|_| is_elsewhere).map(Hex::as_str).unwrap_or_default();
    let attributes = [("view", path.as_str()), ("mark", mark.as_str()), ("review", review), ("rev", rev)];
    page(PageKind::Review, &title(shown.view, shown.review, shown.diff), &body, &attributes, frame)
}

fn tree(diff: &DiffReply) -> Markup {
    html! {
        details.tree-fold open {
            summary { "Files " span.count { (diff.files.len()) } }
            (file_tree(&diff.files))
        }
    }
}

/// The parts of the page that follow from all of the diff, for a page that is open: head, tree, and the threads that stand
/// at no line.
pub(crate) fn review_parts(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let groups = ThreadGroups::of(shown.diff);
    html! {
        (review_head(shown.view, shown.review, shown.diff, &groups, frame))
        nav.tree id="tree" aria-label="Files" { (tree(shown.diff)) }
        (about_review(&groups, frame))
        (orphans(&groups, frame))
    }
}
