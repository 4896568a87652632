//! Drafts that wait for the end of a `git notes merge`.
//!
//! They are meant to be shared, and are as soon as that is possible. They are ordinary drafts until then; a file,
//! `postil/waiting` in the git directory, has their ids.

use std::collections::BTreeSet;

use super::writing::write_session::WriteSession;
use super::{Committer, Draft, DraftsOf, NotesError, Store, WrittenBatch};
use crate::git::Repository;
use crate::record::RecordId;

/// The file.
const FILE: &str = "waiting";

impl Store {
    /// Returns the drafts that are published when no `git notes merge` is open any more.
    pub fn waiting(&self) -> BTreeSet<RecordId> {
        read(self.repository())
    }

    /// Keeps records as drafts that [`Store::publish_waiting`] publishes.
    pub fn add_waiting(&self, drafts: &[Draft], by: &Committer) -> Result<(), NotesError> {
        let ids: Vec<RecordId> = drafts.iter().map(|draft| draft.record.id()).collect();
        // First the drafts: an id without a draft means nothing, a draft without an id is published by hand.
        self.add_drafts(drafts, by)?;
        self.session(by)?.change_waiting(|waiting| waiting.extend(ids));
        Ok(())
    }

    /// Publishes the drafts that waited, unless a `git notes merge` is still open; `None` if there are none.
    ///
    /// Costs one look at a file if there are none.
    pub fn publish_waiting(&self, by: &Committer) -> Result<Option<WrittenBatch>, NotesError> {
        let waiting = self.waiting();
        if waiting.is_empty() || self.open_merge().is_some() {
            return Ok(None);
        }
        let ids: Vec<RecordId> = waiting.into_iter().collect();
        let published = self.publish(DraftsOf::Records(&ids), by, "Publish what waited for a merge")?;
        self.session(by)?.change_waiting(|waiting| waiting.retain(|id| !ids.contains(id)));
        Ok(published)
    }
}

impl WriteSession<'_> {
    fn change_waiting(&self, change: impl FnOnce(&mut BTreeSet<RecordId>)) {
        let mut waiting = read(self.repository());
        change(&mut waiting);
        let lines: String = waiting.iter().map(|id| format!("{id}\n")).collect();
        if let Err(error) = self.write_state_file(FILE, lines.as_bytes()) {
            tracing::warn!(%error, "could not save which drafts wait for a merge");
        }
    }
}

fn read(repo: &Repository) -> BTreeSet<RecordId> {
    let told = repo.state_file(FILE).unwrap_or_default();
    String::from_utf8_lossy(&told).lines().filter_map(RecordId::from_hex).collect()
}
