//! What was added to the notes since they were read, so that not all of them have to be read again.
//!
//! Only additions are returned. If something was removed, or cannot be read, everything has to be read again: that is
//! rare, and then nothing that was known can be relied on.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::Slot;
use super::page_scan::Purged;
use super::pages::read_blob;
use crate::git::tree::{self, Subtrees};
use crate::git::{BlobId, CommitId, ObjectId, history};
use crate::notes::{NotesError, Store};
use crate::record::{Page, PositionsRecord, PurgeRecord, Record, VERSION};

/// What was added to the notes.
#[derive(Debug, Default)]
pub struct AddedRecords {
    /// New records, with the objects whose notes they are in.
    pub records: Vec<(ObjectId, Record)>,
    /// All positions in the notes that changed, by the annotated object: they replace those that were known.
    pub positions: BTreeMap<ObjectId, Vec<Record>>,
}

/// The blobs of a note, before and after.
type Blobs = (BTreeSet<BlobId>, BTreeSet<BlobId>);

impl Store {
    /// Returns what the notes commit `to` has and `from` does not; `purged` is what the purges of `from` name.
    ///
    /// Returns `None` if something of `from` is not in `to`, if something was purged, or if notes that changed cannot
    /// be read completely. Costs one tree diff and reading the notes that differ.
    pub fn added_since(
        &self,
        from: CommitId,
        to: CommitId,
        purged: &Purged,
    ) -> Result<Option<AddedRecords>, NotesError> {
        let handle = self.repository().handle();
        let (old, new) = (history::commit(&handle, from)?.tree, history::commit(&handle, to)?.tree);
        let diff = tree::diff(&handle, Some(old), Some(new), Subtrees::Omit)?;
        if !diff.damage.is_empty() {
            return Ok(None);
        }
        let mut notes: BTreeMap<ObjectId, Blobs> = BTreeMap::new();
        for change in &diff.changes {
            let path = change.path().as_bytes();
            for (entry, is_new) in [(change.before(), false), (change.after(), true)] {
                if let Some(entry) = entry
                    && let Slot::Note(object) = Slot::of(path, entry)
                {
                    let (before, after) = notes.entry(object).or_default();
                    (if is_new { after } else { before }).insert(entry.id.raw().into());
                }
            }
        }
        let mut gain = AddedRecords::default();
        // A note that only stands at another path, since there are many by now, is the same note.
        for (object, (before, after)) in notes.into_iter().filter(|(_, (before, after))| before != after) {
            let (Some(before), Some(after)) = (read(&handle, &before)?, read(&handle, &after)?) else {
                return Ok(None);
            };
            let is_kept = |record: &Record| is_cache(record) || after.binary_search(record).is_ok();
            if !before.iter().all(is_kept) {
                return Ok(None);
            }
            let (positions, rest): (Vec<Record>, Vec<Record>) = after.into_iter().partition(is_cache);
            gain.positions.insert(object, positions);
            for record in rest {
                if before.binary_search(&record).is_ok() || purged.hides(&record) {
                    continue;
                }
                if record.is(PurgeRecord::KIND) {
                    return Ok(None);
                }
                gain.records.push((object, record));
            }
        }
        Ok(Some(gain))
    }
}

/// The records of a note, in ascending order; `None` if something else is there too.
fn read(handle: &gix::Repository, blobs: &BTreeSet<BlobId>) -> Result<Option<Vec<Record>>, NotesError> {
    let mut records = Vec::new();
    let mut buffer = Vec::new();
    for blob in blobs {
        let page = Page::parse(read_blob(handle, *blob, &mut buffer)?);
        if !page.unread().is_empty() {
            return Ok(None);
        }
        records.extend(page.records().cloned());
    }
    records.sort();
    records.dedup();
    Ok(Some(records))
}

/// Positions are a cache: nothing is lost if they go.
fn is_cache(record: &Record) -> bool {
    record.is(PositionsRecord::KIND) && record.version() == VERSION
}
