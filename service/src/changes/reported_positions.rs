//! Positions in files on disk, as they were reported: the files change, and their old content is stored
//! nowhere else.
//!
//! Only positions that differ from those in the commit are kept. A client whose state is no longer here is
//! sent everything.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use postil_core::git::CommitId;
use postil_core::record::RecordId;

use crate::positions::positions_at::PositionsByThread;
use crate::repository::state::lock;

/// Number of file states that are kept; the one that was reported longest ago is dropped first.
const MAX_KNOWN: usize = 16;

/// Where comments were in files on disk.
#[derive(Debug, Default)]
pub(crate) struct KnownPlaces(Mutex<VecDeque<Arc<PlacesSeen>>>);

/// Where comments were at one state of the files on disk.
#[derive(Debug)]
pub(crate) struct PlacesSeen {
    head: Option<CommitId>,
    files: u64,
    /// The places that are not those of the commit, or not known to be.
    pub moved: PositionsByThread,
    /// What had become of suggestions: a number for each thread that has any.
    pub suggestions: BTreeMap<RecordId, u64>,
}

impl KnownPlaces {
    /// Keeps where all comments are that are seen from somewhere, and what has become of suggestions.
    pub fn keep(
        &self,
        head: Option<CommitId>,
        files: u64,
        moved: PositionsByThread,
        suggestions: BTreeMap<RecordId, u64>,
    ) {
        let mut known = lock(&self.0);
        known.retain(|known| (known.head, known.files) != (head, files));
        if known.len() >= MAX_KNOWN {
            known.pop_front();
        }
        known.push_back(Arc::new(PlacesSeen { head, files, moved, suggestions }));
    }

    /// Where they were at this state of the files, if that is known.
    pub fn at(&self, head: Option<CommitId>, files: u64) -> Option<Arc<PlacesSeen>> {
        lock(&self.0).iter().find(|known| (known.head, known.files) == (head, files)).cloned()
    }

    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}
