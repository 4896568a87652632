//! All reviews of a repository: what waits for the person first, then what is open, then the rest.

use maud::{Markup, html};
use postil_protocol::{Hex, ReviewListReply, ReviewStatus, ReviewView, Verdict};

use super::comment_body::avatar;
use super::review_head::branch;
use super::shell::{PageFrame, PageKind, page};
use super::when::ago;
use crate::shown_view::ShownView;

/// So many reviews that ended are shown.
const MAX_ENDED: usize = 50;

/// The page of all reviews.
pub(crate) fn overview(reply: &ReviewListReply, frame: &PageFrame<'_>) -> String {
    let own = frame.person.map(|person| person.email.as_str());
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
            p.byline { a.button href={ (frame.prefix) "changes" } { "Changes of what is checked out" } }
            @if reply.reviews.is_empty() {
                p.empty { "There are no reviews yet. The first comment on a branch starts one." }
            }
            (group("Waiting for you", &waiting, current, frame))
            (group("Yours", &mine, current, frame))
            (group("Open", &others, current, frame))
            (group("Ended", &ended, current, frame))
        }
    };
    let mark = reply.mark.to_string();
    page(PageKind::Overview, "Reviews", &body, &[("view", "reviews"), ("mark", &mark)], frame)
}

fn group(name: &str, reviews: &[&ReviewView], current: Option<&str>, frame: &PageFrame<'_>) -> Markup {
    html! {
        @if !reviews.is_empty() {
            section.group {
                h2 { (name) " " span.count { (reviews.len()) } }
                ul.reviews { @for review in reviews { (row(review, current, frame)) } }
            }
        }
    }
}

fn row(review: &ReviewView, current: Option<&str>, frame: &PageFrame<'_>) -> Markup {
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
