//! Which version of a review the person of this repository looked at last: a local list, never shared.
//!
//! It is a list of ids like those of records: one for each review that was looked at, and one for each review and head.

use std::path::Path;

use postil_core::git::CommitId;
use postil_core::record::RecordId;

use super::id_list::IdList;

/// The versions of reviews that were looked at.
#[derive(Debug)]
pub(crate) struct LookedHeads(IdList);

impl LookedHeads {
    /// Those of a repository.
    pub fn of(common_dir: &Path) -> Self {
        Self(IdList::looked_at(common_dir))
    }

    /// Writes down that a head of a review was looked at.
    pub fn add(&self, review: RecordId, head: CommitId) {
        let known = self.0.ids();
        let new = [review, of_head(review, head)].into_iter().filter(|id| !known.contains(id));
        self.0.add(&new.collect::<Vec<_>>());
    }

    /// Whether a review was looked at, but not with this head.
    pub fn has_moved(&self, review: RecordId, head: CommitId) -> bool {
        let known = self.0.ids();
        known.contains(&review) && !known.contains(&of_head(review, head))
    }
}

fn of_head(review: RecordId, head: CommitId) -> RecordId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(review.as_bytes()).update(head.as_bytes());
    let mut id = [0; RecordId::LEN];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..RecordId::LEN]);
    RecordId::from_array(id)
}
