//! What a review says of itself: its title and description, its branch, and what it is compared with.
//!
//! The author's edit takes effect; other people's edits are kept and shown as proposals. Starting, judging
//! and closing reviews is done elsewhere.

use postil_core::git::RefName;
use postil_core::notes::Home;
use postil_core::record::{Body, EditRecord, Record};
use postil_core::review::Review;
use postil_protocol::{Advice, Fault, FaultCode, ReviewEdit, ReviewReply};

use super::show::show_review_of;
use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::review::{existing_base, existing_branch, review_now};
use crate::writing::records::{PendingRecords, audience_of, write_records};

/// What a review is to say from now on; what is `None` stays as it is.
#[derive(Debug, Default)]
struct New {
    title: Option<String>,
    description: Option<String>,
    branch: Option<RefName>,
    base: Option<RefName>,
}

/// Changes the title or description of a review; for another person's review, only proposes it.
pub fn edit_review(request: &Request, actor: &Actor, edit: &ReviewEdit) -> Result<ReviewReply, Fault> {
    let group = review_named(request, edit.review.as_deref())?;
    let new = New {
        title: edit.title.as_deref().map(titled).transpose()?,
        description: edit.description.as_deref().map(|text| text.trim_end().to_owned()),
        branch: edit.branch.as_deref().map(|name| existing_branch(request, name)).transpose()?,
        base: edit.base.as_deref().map(|name| existing_base(request, name)).transpose()?,
    };
    let lead = group.lead();
    let branch = new.branch.as_ref().map_or(lead.branch(), RefName::as_bytes);
    if branch == new.base.as_ref().map_or(lead.base(), RefName::as_bytes) {
        let name = String::from_utf8_lossy(branch);
        let message = format!("cannot compare {name} with itself");
        return Err(Fault::new(FaultCode::Refused, message).advise(Advice::ChooseDifferentBase));
    }
    // Those that are shown as one stay together as far as they are the same person's; each keeps its own words.
    let is_own = |review: &&Review| review.said().author.email == actor.author.email;
    let place = New { branch: new.branch.clone(), base: new.base.clone(), ..New::default() };
    let others = group.reviews().skip(1).filter(|_| is_own(&lead)).filter(is_own);
    let mut said = PendingRecords::default();
    for (review, new) in [(lead, &new)].into_iter().chain(others.map(|review| (review, &place))) {
        if new.changes(review) {
            let record = Record::new(&Body::Edit(new.edit(review, actor))).or_fault()?;
            said.records.push((Home::On(review.page()), record));
        }
    }
    if said.records.is_empty() {
        return show_review_of(request, group);
    }
    let message = format!("Edit the review of {}", String::from_utf8_lossy(lead.branch()));
    write_records(request, actor, said, audience_of(request, group.id()), &message)?;
    review_now(request, actor, group.id(), false)
}

impl New {
    /// Whether a review says something else so far.
    fn changes(&self, review: &Review) -> bool {
        let differs = |new: Option<&[u8]>, now: &[u8]| new.is_some_and(|new| new != now);
        differs(self.title.as_deref().map(str::as_bytes), review.title().as_bytes())
            || differs(self.description.as_deref().map(str::as_bytes), review.description().as_bytes())
            || differs(self.branch.as_ref().map(RefName::as_bytes), review.branch())
            || differs(self.base.as_ref().map(RefName::as_bytes), review.base())
    }

    /// The edit. The author's says all four, since those that it replaces count no more; another's what is to be
    /// something else, whatever becomes of the rest.
    fn edit(&self, review: &Review, actor: &Actor) -> EditRecord {
        let is_author = review.said().author.email == actor.author.email;
        let word =
            |new: Option<&String>, now: &str| new.cloned().or_else(|| is_author.then(|| now.to_owned()));
        let name = |new: Option<&RefName>, now: &[u8]| {
            new.map(|new| new.as_bytes().to_vec()).or_else(|| is_author.then(|| now.to_vec()))
        };
        EditRecord {
            author: actor.author.clone(),
            at: actor.at,
            seq: review.next_seq(),
            via: actor.via.clone(),
            of: review.id(),
            over: review.over_for_edit(&actor.author),
            text: None,
            title: word(self.title.as_ref(), review.title()),
            description: word(self.description.as_ref(), review.description()),
            branch: name(self.branch.as_ref(), review.branch()),
            base: name(self.base.as_ref(), review.base()),
        }
    }
}

/// A title that can be one.
fn titled(title: &str) -> Result<String, Fault> {
    let title = title.trim();
    if title.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "the title is empty").advise(Advice::SayTitle));
    }
    Ok(title.to_owned())
}
