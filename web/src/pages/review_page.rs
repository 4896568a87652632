//! The page of a review: head, files, threads.

use maud::{Markup, html};
use postil_protocol::{DiffCommit, DiffReply, Hex, ReviewView};

use super::commits::commit_message;
use super::diff_bar::diff_bar;
use super::file_key::shown as shown_path;
use super::file_section::file_section;
use super::file_tree::{file_tree, viewed_count};
use super::review_head::{review_head, title};
use super::shell::{PageFrame, PageKind, page};
use super::threads::{ThreadGroups, about_review, orphans};
use crate::looks::Looks;
use crate::shown_view::ShownView;

/// What the page of a review shows.
#[derive(Debug)]
pub(crate) struct ReviewPage<'a> {
    /// What was asked for.
    pub view: &'a ShownView,
    /// How it is looked at.
    pub looks: &'a Looks,
    /// The review, if there is one.
    pub review: Option<&'a ReviewView>,
    /// The diff with its threads.
    pub diff: &'a DiffReply,
    /// The commits that it is made of, oldest first.
    pub commits: &'a [DiffCommit],
}

impl ReviewPage<'_> {
    /// The address of the same view, looked at in another way.
    pub(super) fn address(&self, looks: &Looks, frame: &PageFrame<'_>) -> String {
        let query = looks.query();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{}{mark}{query}", frame.prefix, self.view.path())
    }

    /// The name under which it is kept what was viewed of it: its branch, else its address.
    pub(crate) fn scope(&self) -> String {
        let branch = self.review.map(|review| &review.branch).or(self.diff.head.branch.as_ref());
        let of = match (branch, self.view) {
            (Some(branch), ShownView::Current | ShownView::Review(_)) => shown_path(branch),
            _ => self.view.path(),
        };
        self.looks.commit.as_ref().map_or(of.clone(), |commit| format!("{of} {commit}"))
    }
}

/// The whole page.
pub(crate) fn review_page(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> String {
    let groups = ThreadGroups::of(shown.diff);
    let files = shown.diff.files.len();
    let body = html! {
        div.review {
            (review_head(shown.view, shown.review, shown.diff, &groups, frame))
            div.columns {
                nav.tree id="tree" aria-label="Files" { (tree(shown.diff, frame)) }
                main.main id="main" tabindex="-1" {
                    (commit_message(shown, frame))
                    (about_review(&groups, frame))
                    (orphans(&groups, frame))
                    (diff_bar(shown, frame))
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
    let is_elsewhere = shown.looks.commit.is_some()
        || (*shown.view != ShownView::Current && shown.diff.head.branch.is_none());
    let rev = shown.diff.head.commit.as_ref().filter(|_| is_elsewhere).map(Hex::as_str).unwrap_or_default();
    let looks = shown.looks.query();
    let scope = shown.scope();
    let attributes = [
        ("view", path.as_str()),
        ("looks", looks.as_str()),
        ("scope", scope.as_str()),
        ("mark", mark.as_str()),
        ("review", review),
        ("rev", rev),
    ];
    page(PageKind::Review, &title(shown.view, shown.review, shown.diff), &body, &attributes, frame)
}

fn tree(diff: &DiffReply, frame: &PageFrame<'_>) -> Markup {
    html! {
        details.tree-fold open {
            summary { "Files " span.count { (diff.files.len()) } span.viewed-count id="viewed-count" { (viewed_count(&diff.files, frame)) } }
            (file_tree(&diff.files, frame))
        }
    }
}

/// The parts of the page that follow from all of the diff, for a page that is open: head, tree, and the threads that stand
/// at no line.
pub(crate) fn review_parts(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    let groups = ThreadGroups::of(shown.diff);
    html! {
        (review_head(shown.view, shown.review, shown.diff, &groups, frame))
        nav.tree id="tree" aria-label="Files" { (tree(shown.diff, frame)) }
        (about_review(&groups, frame))
        (orphans(&groups, frame))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{HOSTILE, diff, frame};
    use super::*;

    fn shown_of(diff: &DiffReply) -> ReviewPage<'_> {
        static LOOKS: Looks = Looks { ignore_space: false, commit: None };
        ReviewPage { view: &ShownView::Current, looks: &LOOKS, review: None, diff, commits: &[] }
    }

    fn page_of(text: &str) -> String {
        let diff = diff(text);
        review_page(&shown_of(&diff), &frame())
    }

    #[test]
    fn a_line_is_one_element_in_a_block_of_known_size_and_threads_stand_outside() {
        let html = page_of("let a = 1;");
        assert_eq!(html.matches(" data-n=\"").count(), 200);
        // Cut at both threads, at every eighty lines, and at the end.
        let blocks: Vec<&str> =
            html.split("<div class=\"b n").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(blocks, ["1", "1", "49", "80", "69"]);
        let inside =
            html.split("<div class=\"b n").skip(1).map(|rest| rest.split("</div></div>").next().unwrap());
        assert!(inside.into_iter().all(|block| !block.contains("<article") && !block.contains("<button")));
        assert!(html.contains("Show 60 unchanged lines"), "what comes after the last line");
    }

    #[test]
    fn each_thread_is_there_once_where_it_belongs_and_says_its_state() {
        let html = page_of("let a = 1;");
        for (id, words) in
            [("aa", "removed line 1"), ("bb", "shifted"), ("cc", "orphaned"), ("dd", "outdated")]
        {
            assert_eq!(html.matches(&format!("data-thread=\"{id}\"")).count(), 1, "{id}");
            let card =
                html.split(&format!("id=\"t-{id}\"")).nth(1).unwrap().split("</article>").next().unwrap();
            assert!(card.contains(words), "{id}: {card}");
        }
        let orphans = html.split("id=\"orphans\"").nth(1).unwrap().split("id=\"files\"").next().unwrap();
        assert!(orphans.contains("data-thread=\"cc\"") && orphans.contains("Move here"), "{orphans}");
        assert!(html.contains("high confidence") && html.contains("moved from line 2"));
    }

    #[test]
    fn a_page_has_landmarks_headings_and_names_for_what_can_be_pressed() {
        let html = page_of("let a = 1;");
        for part in [
            "<html lang=\"en\"",
            "<main",
            "<nav",
            "class=\"skip\"",
            "aria-live=\"polite\"",
            "<h1",
            "<h2",
            "<h3",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains("renamed from src/old.rs") && html.contains("mode 100644"));
        assert!(!html.contains(" style="), "styles in the markup are forbidden by the policy");
        assert!(!html.contains("<script>") && html.matches("<script").count() == 1);
    }

    #[test]
    fn hostile_text_is_text_wherever_it_stands() {
        let html = page_of(HOSTILE);
        assert_eq!(html.matches("<script").count(), 1, "the page's own");
        assert!(!html.contains("<img") && !html.contains("src=x onerror=alert(1)>"), "it is escaped");
        assert!(html.contains("&lt;script&gt;"));
    }

    #[test]
    fn a_page_that_is_read_only_offers_nothing_to_write() {
        let diff = diff("let a = 1;");
        let frame = PageFrame { is_writable: false, ..frame() };
        let html = review_page(&shown_of(&diff), &frame);
        for act in ["reply", "resolve", "file-comment", "finish", "move"] {
            assert!(!html.contains(&format!("data-act=\"{act}\"")), "{act}");
        }
        assert!(!html.contains("data-writable") && html.contains("read only"));
    }
}
