//! The page of a review: head, files, threads.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DiffCommit, DiffReply, Hex, ReviewView};

use super::diff_bar::diff_bar;
use super::file_key::shown as shown_path;
use super::file_section::file_section;
use super::file_tree::{file_tree, viewed_count};
use super::review_head::{review_head, title};
use super::shell::{PageFrame, PageKind, page};
use super::threads::{Placeless, ThreadGroups, about_review, orphans, placeless_cards};
use super::versions::shown_message;
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

    /// The threads that stand at no line; of one commit, without those on messages: its own are at their lines.
    fn groups(&self) -> ThreadGroups<'_> {
        let mut groups = ThreadGroups::of(self.diff);
        if self.looks.commit.is_some() {
            groups.review.retain(|thread| thread.message.is_none());
        }
        groups
    }

    /// The name under which it is kept what was viewed of it: its branch, else its address.
    pub(crate) fn scope(&self) -> String {
        let branch = self.review.map(|review| &review.branch).or(self.diff.head.branch.as_ref());
        let of = match (branch, self.view) {
            (Some(branch), ShownView::Current | ShownView::Review(_)) => shown_path(branch),
            _ => self.view.path(),
        };
        match (&self.looks.commit, self.looks.since) {
            (Some(commit), _) => format!("{of} {commit}"),
            (None, Some(_)) => format!("{of} since"),
            (None, None) => of,
        }
    }
}

/// A thread takes as much of a page as so many lines, if it is open.
const LINES_OF_AN_OPEN_THREAD: usize = 50;

/// Whether there are so many threads that each is folded until it is opened, on a page of so many lines.
pub(crate) fn has_very_many_threads(diff: &DiffReply, lines: u32) -> bool {
    ThreadGroups::of(diff).count() > lines as usize / LINES_OF_AN_OPEN_THREAD
}

/// Stands where the files go; nothing that people wrote is written so.
const FILES_HERE: &str = "<!--files-->";

/// A whole page, with the lines that came with its diff.
pub(crate) fn review_page(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> String {
    let (open, close) = review_frame(shown, frame);
    let files: String = shown.diff.files.iter().map(|file| file_section(file, frame)).collect();
    open + &files + &close
}

/// What is around the files of a page: its beginning and its end.
///
/// The diff has all files, and as many of their lines as there are; the others are counted in it.
pub(crate) fn review_frame(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> (String, String) {
    let groups = shown.groups();
    let files = shown.diff.files.len();
    let body = html! {
        div.review {
            (review_head(shown.view, shown.review, shown.diff, &groups, frame))
            div.columns {
                nav.tree id="tree" aria-label="Files" { (tree(shown.diff, frame)) }
                main.main id="main" tabindex="-1" {
                    (shown_message(shown, frame))
                    (about_review(&groups, frame))
                    (orphans(&groups, frame))
                    (diff_bar(shown, frame))
                    div.files id="files" {
                        (PreEscaped(FILES_HERE))
                        @if files == 0 {
                            p.empty { (if shown.looks.since.is_some() { "Nothing is new." } else { "Nothing differs from the base." }) }
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
    // Where what is deleted is no line of the base of the review, it is commented on in the commit that has it.
    let is_other_base = shown.looks.has_other_base() || matches!(shown.view, ShownView::Range { .. });
    let old_rev = shown.diff.base.as_ref().filter(|_| is_other_base).map(Hex::as_str).unwrap_or_default();
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
        ("old-rev", old_rev),
    ];
    let html =
        page(PageKind::Review, &title(shown.view, shown.review, shown.diff), &body, &attributes, frame);
    html.split_once(FILES_HERE)
        .map_or_else(|| (html.clone(), String::new()), |(open, close)| (open.to_owned(), close.to_owned()))
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
    let groups = shown.groups();
    html! {
        (review_head(shown.view, shown.review, shown.diff, &groups, frame))
        nav.tree id="tree" aria-label="Files" { (tree(shown.diff, frame)) }
        (about_review(&groups, frame))
        (orphans(&groups, frame))
    }
}

/// Threads at no line that did not come with the page.
pub(crate) fn more_placeless(shown: &ReviewPage<'_>, kind: Placeless, frame: &PageFrame<'_>) -> Markup {
    placeless_cards(&shown.groups(), kind, frame)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{HOSTILE, diff, frame};
    use postil_protocol::{DiffLeft, ThreadsLeft, WarningView};

    use super::super::file_section::{LinesGoOn, lines_from};

    use super::*;

    fn shown_of(diff: &DiffReply) -> ReviewPage<'_> {
        static LOOKS: Looks = Looks { ignore_space: false, commit: None, since: None, found: None };
        ReviewPage { view: &ShownView::Current, looks: &LOOKS, review: None, diff, commits: &[] }
    }

    fn page_with(diff: &DiffReply, frame: &PageFrame<'_>) -> String {
        review_page(&shown_of(diff), frame)
    }

    fn page_of(text: &str) -> String {
        page_with(&diff(text), &frame())
    }

    #[test]
    fn a_line_is_one_element_in_a_block_of_known_size_and_threads_stand_outside() {
        let html = page_of("let a = 1;");
        assert_eq!(html.matches(" data-n=\"").count(), 200);
        // Cut at both threads, at every eighty lines, and at the end.
        let blocks: Vec<&str> =
            html.split("<div class=\"b ").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(blocks, ["u1 t0", "u1 t0", "u9 t4", "u0 t8", "u9 t6"]);
        let inside =
            html.split("<div class=\"b ").skip(1).map(|rest| rest.split("</div></div>").next().unwrap());
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
    fn what_was_left_out_is_counted_and_has_its_place() {
        let mut diff = diff("let a = 1;");
        let file = &mut diff.files[0];
        file.lines.truncate(40);
        file.left =
            Some(DiffLeft { from: 40, lines: 160, open: 7, outdated: 2, resolved: 3, ..DiffLeft::default() });
        let html = page_with(&diff, &frame());
        assert_eq!(html.matches(" data-n=\"").count(), 40);
        assert!(html.contains("data-from=40 data-next=40 data-lines=160") && html.contains("160 more lines"));
        assert!(!html.contains("Show 60 unchanged lines"), "what comes last is not known yet");
        for words in
            ["<li>10 open threads</li>", "3 resolved", "2 outdated", "aria-label=\"10 open threads\""]
        {
            assert!(html.contains(words), "{words}");
        }
    }

    #[test]
    fn threads_that_did_not_come_have_a_place_and_a_line_that_goes_on_is_not_shown_again() {
        let mut diff = diff("let a = 1;");
        let file = &mut diff.files[0];
        file.lines.truncate(51);
        file.left = Some(DiffLeft { from: 50, threads: 1, open: 4, ..DiffLeft::default() });
        let orphans = DiffLeft { threads: 100, open: 5, ..DiffLeft::default() };
        diff.left = Some(ThreadsLeft { orphans, ..ThreadsLeft::default() });
        let html = page_with(&diff, &frame());
        assert!(html.contains("data-from=50 data-next=51 data-lines=0 data-threads=1><p>4 more threads"));
        assert!(html.contains("data-of=\"orphans\" data-threads=\"100\"><p>5 more threads"));
        assert!(
            html.contains("Without a place <span class=\"count\">6</span>"),
            "those that are left are counted"
        );
        let mut more = diff.files[0].clone();
        more.lines.drain(..50);
        more.lines[0].threads[0].cut = true;
        more.left = None;
        let html = lines_from(&more, 51, &frame(), LinesGoOn::Later);
        assert_eq!((html.matches("data-thread=").count(), html.matches("data-n=").count()), (1, 0));
        assert!(html.contains("data-brief") && html.contains("Show 209 unchanged lines"), "{html}");
    }

    #[test]
    fn what_could_not_be_read_is_told_on_the_page_and_when_it_changes() {
        let mut diff = diff("let a = 1;");
        assert!(!page_with(&diff, &frame()).contains("Warning: "));
        let what = format!("some comments could not be read\u{202e}{HOSTILE}");
        diff.warnings = vec![WarningView { what, advice: None }];
        let told = "Warning: </strong>some comments could not be read";
        for html in [page_with(&diff, &frame()), review_parts(&shown_of(&diff), &frame()).into_string()] {
            assert!(html.contains(told) && !html.contains(HOSTILE) && !html.contains('\u{202e}'), "{html}");
        }
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
        let html = page_with(&diff, &frame);
        for act in ["reply", "resolve", "file-comment", "finish", "move"] {
            assert!(!html.contains(&format!("data-act=\"{act}\"")), "{act}");
        }
        assert!(!html.contains("data-writable") && html.contains("read only"));
    }
}
