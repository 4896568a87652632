//! What the notes have gained since they were read, so that whoever knows them need not read them all again.
//!
//! Only gains are told. Where something went away, or cannot be read, everything is to be read once more: that is rare,
//! and then nothing that was known can be relied on.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::Slot;
use super::pages::read_blob;
use super::upkeep::Purged;
use super::{NotesError, Store};
use crate::git::tree::{self, Subtrees};
use crate::git::{BlobId, CommitId, ObjectId, history};
use crate::record::{Page, Positions, Purge, Record, VERSION};

/// What the notes have gained.
#[derive(Debug, Default)]
pub struct Gain {
    /// New records, with the objects whose notes they stand in.
    pub records: Vec<(ObjectId, Record)>,
    /// All positions that stand in the notes that changed, by what those are attached to: they take the place of others.
    pub positions: BTreeMap<ObjectId, Vec<Record>>,
}

/// The blobs of a note, before and after.
type Blobs = (BTreeSet<BlobId>, BTreeSet<BlobId>);

impl Store {
    /// Returns what the notes commit `to` has and `from` does not; `purged` is what the purges of `from` name.
    ///
    /// `None` where `from` has something else that `to` does not have, where something was purged, and where notes that
    /// changed are not whole. Costs one tree diff and reading the notes that differ.
    pub fn gained(&self, from: CommitId, to: CommitId, purged: &Purged) -> Result<Option<Gain>, NotesError> {
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
        let mut gain = Gain::default();
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
                if record.is(Purge::KIND) {
                    return Ok(None);
                }
                gain.records.push((object, record));
            }
        }
        Ok(Some(gain))
    }
}

/// The records of a note, in ascending order; `None` if something else stands there too.
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

/// Positions are a cache: they come and go without anybody's words being lost.
fn is_cache(record: &Record) -> bool {
    record.is(Positions::KIND) && record.version() == VERSION
}
