//! Begins a review.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::{Request, current_branch};
use crate::reviews::follow_up::open_review_in;
use crate::reviews::review::{existing_base, existing_branch, review_now, review_reply};
use crate::writing::records::{PendingRecords, Visibility, write_records};
use postil_core::review::{self, Opening};
use postil_protocol::{Advice, Fault, FaultCode, ReviewReply, ReviewStart};

/// Puts a branch under review; one that is already is left as it is.
pub fn start_review(request: &Request, actor: &Actor, start: &ReviewStart) -> Result<ReviewReply, Fault> {
    let branch = start.branch.as_deref().map(|name| existing_branch(request, name)).transpose()?;
    let base = start.base.as_deref().map(|name| existing_base(request, name)).transpose()?;
    let subject = branch.as_ref().or(current_branch(request));
    let threads = &request.notes.threads;
    let open = subject.and_then(|branch| match &base {
        None => open_review_in(request, branch),
        Some(base) => threads
            .open_review_of(branch, Some(base))
            .or_else(|| open_review_in(request, branch))
            .filter(|open| open.lead().base() == base.as_bytes()),
    });
    if let Some(open) = open {
        let lead = open.lead();
        let differs = |given: &str, now: &str| !given.trim().is_empty() && given.trim() != now.trim();
        if start.title.as_deref().is_some_and(|title| differs(title, lead.title()))
            || differs(&start.description, lead.description())
        {
            let review = request.notes.prefixes.shorten(lead.id()).to_string();
            let message = "the branch is already under review; its title and description were not changed";
            return Err(Fault::new(FaultCode::Refused, message).advise(Advice::EditReview { review }));
        }
        return review_reply(request, open, false);
    }
    let asked = review::ReviewRequest {
        branch,
        base,
        title: start.title.clone(),
        description: start.description.clone(),
    };
    let handle = request.work_tree.repository().handle();
    let opening = Opening::of(&handle, &request.branches, &asked, &actor.opener()).or_fault()?;
    let id = opening.record.id();
    let audience = if start.draft { Visibility::Draft(Some(id)) } else { Visibility::Shared };
    let said = PendingRecords { records: vec![(opening.home, opening.record)], ..PendingRecords::default() };
    write_records(request, actor, said, audience, "Start a review")?;
    review_now(request, actor, id, true)
}
