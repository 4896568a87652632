//! Closes a review, or opens it again.

use crate::convert::actor::Actor;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::review::{review_now, review_reply};
use crate::view::{self};
use crate::writing::records::{PendingRecords, audience_of, write_records};
use crate::writing::status_record::{NewStatus, status_record};
use postil_core::notes::Home;
use postil_core::record::{StatusRecord, StatusWord};
use postil_core::review::History;
use postil_protocol::{Advice, Fault, FaultCode, ReviewChange, ReviewReply, ReviewStatus};

/// Ends a review, or opens it again.
pub fn change_review(request: &Request, actor: &Actor, change: &ReviewChange) -> Result<ReviewReply, Fault> {
    let group = review_named(request, change.review.as_deref())?;
    let word = match change.status {
        ReviewStatus::Open => StatusWord::Open,
        ReviewStatus::Merged => StatusWord::Merged,
        ReviewStatus::Closed => StatusWord::Closed,
    };
    if view::review_status(group.lead().state()) == change.status {
        if has_new_reason(group.lead().statuses(), actor, change.reason.as_deref()) {
            let branch = String::from_utf8_lossy(group.lead().branch());
            let status = match change.status {
                ReviewStatus::Open => "open",
                ReviewStatus::Merged => "merged",
                ReviewStatus::Closed => "closed",
            };
            let message = format!("the review of {branch} is already {status}; the reason was not saved");
            let review = request.notes.prefixes.shorten(group.id()).to_string();
            return Err(Fault::new(FaultCode::Refused, message).advise(Advice::CommentOnReview { review }));
        }
        return review_reply(request, group, false);
    }
    // Those that are shown as one end as one.
    let mut said = PendingRecords::default();
    for review in group.reviews() {
        let new = NewStatus::new(word, change.reason.as_deref());
        let record = status_record(request, actor, review.id(), review.statuses(), new)?;
        said.records.push((Home::On(review.page()), record));
    }
    let verb = match change.status {
        ReviewStatus::Open => "Reopen",
        ReviewStatus::Merged => "Mark as merged",
        ReviewStatus::Closed => "Close",
    };
    let message = format!("{verb} the review of {}", String::from_utf8_lossy(group.lead().branch()));
    write_records(request, actor, said, audience_of(request, group.id()), &message)?;
    if change.status != ReviewStatus::Open {
        request.repository.sweep_soon(actor.at);
    }
    review_now(request, actor, group.id(), false)
}

/// Whether a reason says something that this person has not said with the status already.
fn has_new_reason(statuses: &History<StatusRecord>, actor: &Actor, reason: Option<&str>) -> bool {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    let is_saved = |status: &StatusRecord| {
        status.author.email == actor.author.email && status.reason.as_deref() == reason
    };
    reason.is_some() && !statuses.contenders().any(|status| is_saved(&status.said))
}
