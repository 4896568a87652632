//! Makes the records that say that the branch of a review was renamed.
//!
//! `find_renamed` finds the branch under its new name by its commits: it works without these records, unless the
//! branch was rewritten too much. With them the name is certain.

use super::follow::{BranchFound, ReviewBranch};
use super::opening::Opener;
use crate::notes::Home;
use crate::record::{Body, EditRecord, Record, RecordId};
use crate::review::ReviewError;
use crate::review::folding::review_group::ReviewGroup;

/// The rename of a review's branch, to be written.
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
    /// Makes the edits that record the new branch name of reviews by `by`; none if the name did not change.
    ///
    /// Only the author of a review edits it, so reviews of others in the group get none. Everything else in the
    /// reviews stays. A review never gets back a former name: another machine of the same person may still have the
    /// branch under its old name, and the two would rename it forever.
    pub fn of(group: ReviewGroup<'_>, lead: &ReviewBranch, by: &Opener) -> Result<Vec<Self>, ReviewError> {
        if lead.found == BranchFound::ByName {
            return Ok(Vec::new());
        }
        let own = group.reviews().filter(|review| {
            review.said().author.email == by.author.email && !review.was_called(lead.name.as_bytes())
        });
        own.map(|review| {
            let edit = EditRecord {
                author: by.author.clone(),
                at: by.at,
                seq: review.next_seq(),
                via: by.via.clone(),
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
