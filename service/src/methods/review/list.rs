//! Lists reviews.

use crate::notes::names::current_review;
use crate::request::Request;
use crate::reviews::follow_up::known_of;
use crate::view::signatures::signed_review;
use crate::view::{self, hex};
use postil_core::review::ReviewGroup;
use postil_protocol::{Mark, ReviewList, ReviewListReply, ReviewView};

/// Lists reviews, the newest first.
pub fn list_reviews(request: &Request, list: &ReviewList) -> ReviewListReply {
    let wanted = |group: &ReviewGroup<'_>| {
        list.statuses.is_empty() || list.statuses.contains(&view::review_status(group.lead().state()))
    };
    let groups = request.notes.threads.groups().filter(wanted);
    let mut reviews: Vec<ReviewView> =
        groups.map(|group| signed_review(request, group, known_of(request, group), None)).collect();
    reviews.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
    let current = current_review(request).map(|group| hex(group.id()));
    ReviewListReply { reviews, current, mark: Mark::default() }
}
