//! Shows one review.

use crate::notes::names::{is_open, review_named};
use crate::request::Request;
use crate::reviews::ready::{RuleSource, readiness};
use crate::reviews::review::review_reply;
use crate::view::signatures::verdict_views;
use postil_core::review::ReviewGroup;
use postil_protocol::{Fault, ReviewReply, ReviewShow};

/// Shows one review, with every verdict on it.
pub fn show_review(request: &Request, show: &ReviewShow) -> Result<ReviewReply, Fault> {
    show_review_of(request, review_named(request, show.review.as_deref())?)
}

/// Shows a review that was found already.
pub fn show_review_of(request: &Request, group: ReviewGroup<'_>) -> Result<ReviewReply, Fault> {
    let mut reply = review_reply(request, group, false)?;
    reply.review.history = verdict_views(request, group);
    if is_open(group) {
        reply.ready = Some(readiness(request, group, RuleSource::Base)?);
    }
    Ok(reply)
}
