//! Which records one state of the notes has and another does not.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::Slot;
use super::page_scan::Purged;
use super::pages::read_blob;
use crate::git::tree::{self, Subtrees, TreeEntry};
use crate::git::{BlobId, CommitId, history};
use crate::notes::{NotesError, Store};
use crate::record::{Page, PositionsRecord, Record, RecordId};

/// What differs between two states of the notes; positions are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesDifference {
    /// Records that only the later state has, in ascending order of id.
    pub came: Vec<Record>,
    /// Records that only the earlier state has, in ascending order of id.
    pub went: Vec<Record>,
}

impl Store {
    /// Compares two notes commits; `None` means no notes.
    ///
    /// Costs one tree diff and reading the notes that differ. A note whose blob is not here is skipped. Fails if one of
    /// the commits is not here.
    pub fn difference(
        &self,
        from: Option<CommitId>,
        to: Option<CommitId>,
    ) -> Result<NotesDifference, NotesError> {
        let handle = self.repository().handle();
        let (before, after) = differing_notes(&handle, from, to)?;
        let (mut came, mut went) = (BTreeMap::new(), BTreeMap::new());
        for_each_record(&handle, &after, |record| _ = came.insert(record.id(), record.clone()));
        for_each_record(&handle, &before, |record| {
            if came.remove(&record.id()).is_none() {
                went.insert(record.id(), record.clone());
            }
        });
        Ok(NotesDifference { came: came.into_values().collect(), went: went.into_values().collect() })
    }

    /// Returns the records that the notes commit `to` has and `from` does not; without positions, and without records
    /// that a purge in only one of them names: a merge of the two removes those.
    ///
    /// Costs one tree diff and reading the notes that differ. A note whose blob is not here is skipped.
    pub fn added(&self, from: Option<CommitId>, to: Option<CommitId>) -> Result<Vec<Record>, NotesError> {
        let handle = self.repository().handle();
        let (before, after) = differing_notes(&handle, from, to)?;
        let mut found: BTreeMap<RecordId, Record> = BTreeMap::new();
        let mut purged = Purged::default();
        for_each_record(&handle, &after, |record| {
            purged.learn(record);
            found.insert(record.id(), record.clone());
        });
        for_each_record(&handle, &before, |record| {
            purged.learn(record);
            found.remove(&record.id());
        });
        Ok(found.into_values().filter(|record| !purged.hides(record)).collect())
    }
}

/// The blobs of the notes that differ between two commits: those before, and those after.
fn differing_notes(
    handle: &gix::Repository,
    from: Option<CommitId>,
    to: Option<CommitId>,
) -> Result<(BTreeSet<BlobId>, BTreeSet<BlobId>), NotesError> {
    let tree_of = |commit: Option<CommitId>| {
        commit.map(|commit| Ok::<_, NotesError>(history::commit(handle, commit)?.tree)).transpose()
    };
    let (old, new) = (tree_of(from)?, tree_of(to)?);
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    if old == new {
        return Ok((before, after));
    }
    for change in tree::diff(handle, old, new, Subtrees::Omit)?.changes {
        let note = |entry: TreeEntry| match Slot::of(change.path().as_bytes(), entry) {
            Slot::Note(_) => Some(BlobId::from(entry.id.raw())),
            Slot::Pin(_) | Slot::Foreign => None,
        };
        before.extend(change.before().and_then(note));
        after.extend(change.after().and_then(note));
    }
    Ok((before, after))
}

fn for_each_record(handle: &gix::Repository, notes: &BTreeSet<BlobId>, mut see: impl FnMut(&Record)) {
    let mut buffer = Vec::new();
    let mut seen: BTreeSet<RecordId> = BTreeSet::new();
    for note in notes {
        let Ok(bytes) = read_blob(handle, *note, &mut buffer) else { continue };
        for record in Page::parse(bytes).records().filter(|record| !record.is(PositionsRecord::KIND)) {
            if seen.insert(record.id()) {
                see(record);
            }
        }
    }
}
