//! All reviews of a repository: what waits for the person first, then what is open, then the rest.

use std::collections::BTreeMap;

use maud::{Markup, html};
use postil_protocol::{
    Counts, Hex, MissingView, ReadyView, ReviewListReply, ReviewStatus, ReviewView, Verdict,
};

use super::notice::warnings;
use super::review_head::branch;
use super::shell::{PageFrame, PageKind, page};
use super::threads::avatar;
use super::when::ago;
use crate::shown_view::ShownView;

/// What a review waits for, and what its open threads are.
#[derive(Debug, Default)]
pub(crate) struct ReviewFacts {
    /// Whether it is ready, and what is missing.
    pub ready: Option<ReadyView>,
    /// How many threads it has, by their state.
    pub threads: Counts,
    /// How many of the open ones have each severity, the heaviest first.
    pub severities: Vec<(String, usize)>,
    /// How many threads have news that the person has not read.
    pub unread: usize,
}

/// So many reviews that ended are shown.
const MAX_ENDED: usize = 50;

/// The page of all reviews.
pub(crate) fn overview(
    reply: &ReviewListReply,
    facts: &BTreeMap<String, ReviewFacts>,
    frame: &PageFrame<'_>,
) -> String {
    let own = frame.person.as_ref().map(|person| person.email.as_str());
    let is_open = |review: &&ReviewView| review.status == ReviewStatus::Open;
    let is_mine = |review: &&ReviewView| own == Some(review.author.email.as_str());
    let waits = |review: &&ReviewView| {
        let asked = review.requested.iter().any(|request| own == Some(request.who.email.as_str()));
        let judged = review.verdicts.iter().any(|verdict| {
            own == Some(verdict.author.email.as_str()) && review.tip.as_ref() == Some(&verdict.head)
        });
        asked && !judged
    };
    let open: Vec<&ReviewView> = reply.reviews.iter().filter(is_open).collect();
    let waiting: Vec<&ReviewView> = open.iter().copied().filter(waits).collect();
    let mine: Vec<&ReviewView> =
        open.iter().copied().filter(|review| is_mine(review) && !waits(review)).collect();
    let others: Vec<&ReviewView> =
        open.iter().copied().filter(|review| !is_mine(review) && !waits(review)).collect();
    let ended: Vec<&ReviewView> =
        reply.reviews.iter().filter(|review| !is_open(review)).take(MAX_ENDED).collect();
    let current = reply.current.as_ref().map(Hex::as_str);
    let body = html! {
        main.overview id="main" tabindex="-1" {
            h1 { "Reviews" }
            (warnings(&reply.warnings))
            p.byline { a.button href={ (frame.prefix) "changes" } { "Changes of what is checked out" } }
            @if reply.reviews.is_empty() {
                p.empty { "There are no reviews yet. The first comment on a branch starts one." }
            }
            (group("Waiting for you", &waiting, current, facts, frame))
            (group("Yours", &mine, current, facts, frame))
            (group("Open", &others, current, facts, frame))
            (group("Ended", &ended, current, facts, frame))
        }
    };
    let mark = reply.mark.to_string();
    page(PageKind::Overview, "Reviews", &body, &[("view", "reviews"), ("mark", &mark)], frame)
}

fn group(
    name: &str,
    reviews: &[&ReviewView],
    current: Option<&str>,
    facts: &BTreeMap<String, ReviewFacts>,
    frame: &PageFrame<'_>,
) -> Markup {
    html! {
        @if !reviews.is_empty() {
            section.group {
                h2 { (name) " " span.count { (reviews.len()) } }
                ul.reviews { @for review in reviews { (row(review, current, facts.get(review.id.as_str()), frame)) } }
            }
        }
    }
}

fn row(
    review: &ReviewView,
    current: Option<&str>,
    facts: Option<&ReviewFacts>,
    frame: &PageFrame<'_>,
) -> Markup {
    let address = ShownView::Review(review.id.as_str().to_owned()).path();
    let count = |verdict: Verdict| review.verdicts.iter().filter(|given| given.verdict == verdict).count();
    html! {
        li {
            a.row href={ (frame.prefix) (address) } {
                (avatar(&review.author))
                span.what {
                    strong { (review.title) }
                    span.quiet {
                        code.branch { (branch(&review.branch)) } " into " code.branch { (branch(&review.base)) }
                        " \u{b7} " (review.author.name) " \u{b7} " (ago(review.at, frame.now))
                    }
                    @if let Some(facts) = facts { (waits_for(facts)) }
                }
                @if current == Some(review.id.as_str()) { span.chip.here { "checked out" } }
                @if review.draft { span.chip.draft { "draft" } }
                @if review.status == ReviewStatus::Merged { span.chip.status.merged { "merged" } }
                @if review.status == ReviewStatus::Closed { span.chip.status.closed { "closed" } }
                @if count(Verdict::Approve) > 0 { span.chip.approve { "\u{2713} " (count(Verdict::Approve)) span.vh { " approvals" } } }
                @if count(Verdict::Changes) > 0 { span.chip.changes { "\u{2715} " (count(Verdict::Changes)) span.vh { " requests for changes" } } }
                span.threads { (review.threads.open) " open" @if review.threads.resolved > 0 { ", " (review.threads.resolved) " resolved" } }
            }
        }
    }
}

/// Ready or what is missing, and what the open threads are.
fn waits_for(facts: &ReviewFacts) -> Markup {
    let counts = &facts.threads;
    let states = [("shifted", counts.shifted), ("outdated", counts.outdated), ("orphaned", counts.orphaned)];
    html! {
        span.waits {
            @match &facts.ready {
                Some(ready) if ready.ready => { span.chip.approve { "ready to merge" } }
                Some(ready) => { @for missing in &ready.missing { span.chip.missing { (words(missing)) } } }
                None => {}
            }
            @if facts.unread > 0 { span.chip.here { (facts.unread) " unread" } }
            @for (word, count) in &facts.severities { span class="chip sev" { (severity(*count, word)) } }
            @for (word, count) in states {
                @if let Some(count) = count.filter(|count| *count > 0) { span class={ "state " (word) } { (count) " " (word) } }
            }
        }
    }
}

/// So many threads of a severity; one that has no other form for many stays as it is.
fn severity(count: usize, word: &str) -> String {
    let has_many = ["note", "nit", "issue", "blocker", "question"].contains(&word);
    format!("{count} {word}{}", if count > 1 && has_many { "s" } else { "" })
}

/// What is missing until a review is ready.
pub(super) fn words(missing: &MissingView) -> String {
    let many = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match missing {
        MissingView::Approvals { have, need } => {
            format!("{} missing", many(need.saturating_sub(*have) as usize, "approval"))
        }
        MissingView::Required { who } => format!("{who} has to approve"),
        MissingView::ChangesRequested { who } => format!("{} asks for changes", who.name),
        MissingView::Blockers { threads } => format!("{} open", many(threads.len(), "blocker")),
        MissingView::InvalidRule { path, line, why, .. } => {
            let path = String::from_utf8_lossy(path.as_bytes());
            line.map_or_else(|| format!("{path}: {why}"), |line| format!("{path}:{line}: {why}"))
        }
        MissingView::Unread { why } => format!("not known: {why}"),
        MissingView::Ended => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use postil_protocol::WarningView;
    use serde_json::json;

    use super::super::samples::{HOSTILE, frame};
    use super::*;

    #[test]
    fn a_review_says_what_it_waits_for_and_nothing_is_markup() {
        let by = json!({ "name": HOSTILE, "email": "a@b" });
        let review = json!({
            "id": "aa", "short": "aa", "title": HOSTILE, "description": "", "author": by, "at": 1, "branch": HOSTILE, "base": "refs/heads/main",
            "base_commit": "bb", "head": "cc", "tip": "cc", "renamed": null, "merged": null, "status": "open", "status_by": null, "draft": false,
            "verdicts": [], "threads": { "open": 3, "resolved": 1, "withdrawn": 0 }, "also": [],
        });
        let reply: ReviewListReply =
            serde_json::from_value(json!({ "reviews": [review], "current": "aa" })).unwrap();
        let ready = json!({
            "ready": false, "rule": null, "approvals": [],
            "missing": [{ "what": "approvals", "have": 0, "need": 1 }, { "what": "blockers", "threads": ["x", "y"] }, { "what": "changes-requested", "who": by }],
        });
        let facts = ReviewFacts {
            ready: serde_json::from_value(ready).unwrap(),
            threads: Counts { outdated: Some(2), ..Counts::default() },
            severities: vec![("blocker".into(), 2), ("nit".into(), 1), ("praise".into(), 3)],
            unread: 1,
        };
        let html = overview(&reply, &BTreeMap::from([("aa".to_owned(), facts)]), &frame());
        let mut incomplete = reply;
        incomplete.warnings = vec![WarningView { what: HOSTILE.into(), advice: None }];
        let told = overview(&incomplete, &BTreeMap::new(), &frame());
        assert!(told.contains("Warning: ") && !told.contains(HOSTILE), "{told}");
        for part in [
            "1 approval missing",
            "2 blockers open",
            "asks for changes",
            "2 blockers<",
            "1 nit<",
            "3 praise<",
            "2 outdated",
            "1 unread",
            "checked out",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.matches("<script").count() == 1 && !html.contains("<img"));
    }
}
