//! The records that say that the branch of a review has another name now.
//!
//! Finding the branch under its new name is `renamed`'s work, and goes by objects alone: without these records it is
//! found all the same, as long as it is not rewritten beyond recognition. With them the name is certain.

use super::ReviewError;
use super::following::{Found, Lead};
use super::group::ReviewGroup;
use super::opening::Opener;
use crate::notes::Home;
use crate::record::{Body, Edit, Record, RecordId};

/// A review's new branch, which is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The review.
    pub of: RecordId,
    /// The edit.
    pub record: Record,
    /// Which note it goes into: that of the review.
    pub home: Home,
}

impl Renaming {
    /// Makes the edits with which `by` says where the branch of their reviews went; none if it has its name still.
    ///
    /// Only the author of a review says what it is about, so that those of others in the group get none. All else
    /// that the reviews say stays. A review never gets back a name that it had: another machine of the same person may
    /// have the branch under its old name still, and the two would rename it for ever.
    pub fn of(group: ReviewGroup<'_>, lead: &Lead, by: &Opener) -> Result<Vec<Self>, ReviewError> {
        if lead.found == Found::ByName {
            return Ok(Vec::new());
        }
        let own = group.reviews().filter(|review| {
            review.said().author.email == by.author.email && !review.was_called(lead.name.as_bytes())
        });
        own.map(|review| {
            let edit = Edit {
                author: by.author.clone(),
                at: by.at,
                seq: review.next_seq(),
                of: review.id(),
                over: review.over_for_edit(&by.author),
                text: None,
                title: Some(review.title().to_owned()),
                description: Some(review.description().to_owned()),
                branch: Some(lead.name.as_bytes().to_vec()),
                base: Some(review.base().to_vec()),
            };
            Ok(Self {
                of: review.id(),
                record: Record::new(&Body::Edit(edit))?,
                home: Home::On(review.page()),
            })
        })
        .collect()
    }
}
