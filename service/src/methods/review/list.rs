//! Lists reviews.

use crate::notes::names::current_review;
use crate::request::Request;
use crate::reviews::follow_up::known_of;
use crate::view::signatures::signed_review;
use crate::view::{self, hex};
use postil_core::review::{Review, ReviewGroup};
use postil_protocol::{Mark, ReviewList, ReviewListReply, ReviewView};

/// Lists reviews, the newest first.
pub fn list_reviews(request: &Request, list: &ReviewList) -> ReviewListReply {
    let wanted = |group: &ReviewGroup<'_>| {
        let status = view::review_status(group.lead().state());
        (list.statuses.is_empty() || list.statuses.contains(&status))
            && list.since.is_none_or(|since| updated(*group) >= since)
    };
    let groups = request.notes.threads.groups().filter(wanted);
    let mut reviews: Vec<ReviewView> =
        groups.map(|group| signed_review(request, group, known_of(request, group), None)).collect();
    reviews.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
    let current = current_review(request).map(|group| hex(group.id()));
    ReviewListReply { reviews, current, mark: Mark::default(), warnings: Vec::new() }
}

/// When something was last written about a review, or in one of its threads.
fn updated(group: ReviewGroup<'_>) -> u64 {
    let about = |review: &Review| {
        let edits = review.words().edits().changes().iter().map(|edit| edit.said.at);
        let statuses = review.statuses().changes().iter().map(|status| status.said.at);
        let verdicts = review.verdicts().iter().map(|verdict| verdict.said.at);
        let requests = review.requests().changes().iter().map(|request| request.said.at);
        edits.chain(statuses).chain(verdicts).chain(requests).chain([review.said().at]).max()
    };
    let reviews = group.reviews().filter_map(about).map(|at| at.0);
    reviews.chain(group.threads().map(view::updated)).max().unwrap_or(0)
}
