//! Finds what a notes ref has lost.
//!
//! Stock git cuts notes at a NUL, keeps one side of a merge, or loses one of two writes, sometimes
//! in a commit that has the lost one as its parent: descent proves nothing. So every blob of the commits since the
//! last check, and of their parents, is read.

use std::collections::{BTreeMap, BTreeSet};

use super::unite::{AT_ONCE, read_pages};
use crate::git::tree::{self, Subtrees, TreeDamage};
use crate::git::{BlobId, CommitId, ObjectId, TreeId, history};
use crate::notes::NotesError;
use crate::notes::reading::contents::{Contents, Slot};
use crate::notes::reading::note_blobs::NoteBlobs;
use crate::notes::reading::page_scan::{PageScan, PageScanner, Purged};
use crate::notes::reading::pages::read_each;
use crate::notes::writing::addition::Addition;
use crate::record::{Page, PositionsRecord, Record, RecordId};

/// Notes and pins that some commits had, whether or not a later one has them.
#[derive(Debug, Default)]
pub(in crate::notes) struct Brought {
    pub notes: BTreeMap<ObjectId, NoteBlobs>,
    pins: BTreeSet<BlobId>,
    /// What could not be read.
    pub missed: BTreeSet<ObjectId>,
}

/// What a tree has lost.
#[derive(Debug, Default)]
pub(in crate::notes) struct Lacking {
    pub what: Addition,
    /// How many notes may have lost something and cannot be read.
    pub unreadable: usize,
    /// What could not be read.
    pub missed: BTreeSet<ObjectId>,
}

impl Brought {
    /// Collects what `known` had, and what the commits from `known` to `tip` added.
    ///
    /// Costs one tree diff for each of those commits and each of their parents.
    pub fn since(repo: &gix::Repository, known: Option<CommitId>, tip: CommitId) -> Result<Self, NotesError> {
        let mut brought = Self::on_the_way(repo, known, tip)?;
        if let Some(known) = known {
            let (before, now) = (history::commit(repo, known)?.tree, history::commit(repo, tip)?.tree);
            brought.take(repo, Some(before), now)?;
        }
        Ok(brought)
    }

    /// Collects what the commits from `known` to `tip` added, and what their parents had.
    ///
    /// If the history was cut off, the part that is here is read.
    pub fn on_the_way(
        repo: &gix::Repository,
        known: Option<CommitId>,
        tip: CommitId,
    ) -> Result<Self, NotesError> {
        let mut brought = Self::default();
        let between = history::between_all(repo, known, tip)?;
        brought.missed.extend(between.missing.into_iter().map(ObjectId::from));
        for commit in between.commits {
            let info = history::commit(repo, commit)?;
            if info.parents.is_empty() {
                brought.take(repo, None, info.tree)?;
            }
            for parent in info.parents {
                // A shallow clone does not have the parents of its oldest commits.
                let before = match history::commit(repo, parent) {
                    Ok(parent) => Some(parent.tree),
                    Err(_) => {
                        brought.missed.insert(parent.into());
                        None
                    }
                };
                brought.take(repo, before, info.tree)?;
            }
        }
        Ok(brought)
    }

    fn take(&mut self, repo: &gix::Repository, old: Option<TreeId>, new: TreeId) -> Result<(), NotesError> {
        let diff = tree::diff(repo, old, Some(new), Subtrees::Omit)?;
        self.missed.extend(diff.damage.iter().filter_map(TreeDamage::unreadable));
        for change in diff.changes {
            for entry in [change.before(), change.after()].into_iter().flatten() {
                match Slot::of(change.path().as_bytes(), entry) {
                    Slot::Note(object) => {
                        self.notes.entry(object).or_default().insert(entry.id.raw().into());
                    }
                    Slot::Pin(blob) => {
                        self.pins.insert(blob);
                    }
                    Slot::Foreign => {}
                }
            }
        }
        Ok(())
    }

    /// Returns what of this a tree lacks, without what purges name and without positions.
    pub fn lacking_in(
        &self,
        repo: &gix::Repository,
        reader: PageScanner<'_>,
        held: &Contents,
    ) -> Result<Lacking, NotesError> {
        let mut missing: BTreeMap<ObjectId, BTreeMap<RecordId, Record>> = BTreeMap::new();
        let mut purged = Purged::default();
        let mut unreadable = 0;
        let mut missed = BTreeSet::new();
        let none = NoteBlobs::default();
        let held_by = |object: &ObjectId| held.notes.get(object).unwrap_or(&none);
        let others: Vec<(ObjectId, NoteBlobs)> = self
            .notes
            .iter()
            .map(|(object, blobs)| (*object, blobs.without(held_by(object))))
            .filter(|(_, others)| !others.is_empty())
            .collect();
        for some in others.chunks(AT_ONCE) {
            let blobs: Vec<BlobId> = some.iter().flat_map(|(_, others)| others.iter().copied()).collect();
            let mut pages = blobs.iter().zip(read_each(repo, reader.threads, &blobs, Page::parse));
            let mut wanted: Vec<(ObjectId, BTreeMap<RecordId, Record>)> = Vec::new();
            for (object, others) in some {
                let mut records = BTreeMap::new();
                for (blob, page) in pages.by_ref().take(others.len()) {
                    let Ok(page) = page else {
                        missed.insert(ObjectId::from(*blob));
                        continue;
                    };
                    for record in page.records().filter(|record| !record.is(PositionsRecord::KIND)) {
                        purged.learn(record);
                        records.insert(record.id(), record.clone());
                    }
                }
                if !records.is_empty() {
                    wanted.push((*object, records));
                }
            }
            let standing: Vec<&NoteBlobs> = wanted.iter().map(|(object, _)| held_by(object)).collect();
            for ((object, mut wanted), page) in
                wanted.into_iter().zip(read_pages(repo, reader.threads, &standing))
            {
                match page {
                    Ok(page) => {
                        wanted.retain(|id, _| !page.contains(*id));
                        if !wanted.is_empty() {
                            missing.insert(object, wanted);
                        }
                    }
                    // Without its blob nothing can be put into a note; whoever has the blob can.
                    Err(NotesError::ReadNote { note_blob_id, .. }) => {
                        missed.insert(note_blob_id.into());
                        tracing::warn!(%object, %note_blob_id, "could not check whether a note is complete");
                        unreadable += 1;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let mut addition = Addition { pins: &self.pins - &held.pins, ..Addition::default() };
        if missing.is_empty() && addition.pins.is_empty() {
            return Ok(Lacking { what: addition, unreadable, missed });
        }
        let scan = PageScan::gather(repo, reader, &held.notes);
        missed.extend(scan.missed);
        purged.add(scan.purged);
        addition.pins.retain(|blob| !purged.unpins(*blob));
        for (object, records) in missing {
            let kept: Vec<Record> = records.into_values().filter(|record| !purged.hides(record)).collect();
            if !kept.is_empty() {
                addition.records.insert(object, kept);
            }
        }
        Ok(Lacking { what: addition, unreadable, missed })
    }
}
