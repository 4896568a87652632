//! A group of records that are written together.

use std::collections::BTreeMap;

use super::addition::Addition;
use super::home::MAX_NOTE_BYTES;
use super::memory_objects::put_blob;
use super::write_session::{Checked, WriteSession};
use crate::git::{BlobId, CommitId, ObjectId, RepoPath, TreeId, tree};
use crate::notes::local_pins::{Pin, PinSource};
use crate::notes::{Committer, Home, NotesError, Store};
use crate::record::{Record, RecordId};

/// A group of records that are written together: one notes commit, one answer.
#[must_use = "a batch that is dropped writes nothing"]
#[derive(Debug)]
pub struct Batch<'store> {
    store: &'store Store,
    records: Vec<(Home, Record)>,
    pins: Vec<(BlobId, Option<CommitId>)>,
    contents: Vec<Vec<u8>>,
}

/// The result of writing a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBatch {
    /// Where the notes ref is now; `None` if there was nothing to write and there are no notes.
    pub tip: Option<CommitId>,
    /// The records of the batch, in its order.
    pub ids: Vec<RecordId>,
    /// What the check before the write found.
    pub checked: Checked,
    /// What could not be done after the records were written, in words; they are written all the same.
    pub warnings: Vec<String>,
}

impl<'store> Batch<'store> {
    pub(in crate::notes) fn new(store: &'store Store) -> Self {
        Self { store, records: Vec::new(), pins: Vec::new(), contents: Vec::new() }
    }

    /// Adds a record to the group.
    pub fn add(mut self, home: Home, record: Record) -> Self {
        self.records.push((home, record));
        self
    }

    /// Keeps `blob`, which was seen in `commit`, or was not committed yet.
    ///
    /// It goes into the shared pins after git has published it; until then it is kept only here. A blob that is not in
    /// the repository when the batch is written fails the whole batch.
    pub fn pin(mut self, blob: BlobId, commit: Option<CommitId>) -> Self {
        self.pins.push((blob, commit));
        self
    }

    /// Keeps the blob of this content, which need not be in the repository and was not committed yet.
    pub fn pin_content(mut self, content: impl Into<Vec<u8>>) -> Self {
        self.contents.push(content.into());
        self
    }

    /// Writes the group. Heals the notes first if they need it, and merges with what others wrote meanwhile.
    ///
    /// When this returns, everything is on disk. `message` is the commit message.
    pub fn write(self, by: &Committer, message: &str) -> Result<WrittenBatch, NotesError> {
        Store::refuse_open_merge(self.store.repository())?;
        let mut session = self.store.session(by)?;
        self.write_in(&mut session, message)
    }

    /// As [`Batch::write`], in a session that has begun already.
    pub(in crate::notes) fn write_in(
        self,
        session: &mut WriteSession<'_>,
        message: &str,
    ) -> Result<WrittenBatch, NotesError> {
        let ids = self.records.iter().map(|(_, record)| record.id()).collect();
        let (tip, checked) = session.retry(|session, checked| {
            let pins = session.keep_blobs(&self.pins_in(session)?)?;
            let tree = session.tree_of(checked.tip)?;
            let mut addition = Addition { pins, ..Addition::default() };
            for (object, record) in self.at_home(session, checked.tip)? {
                addition.records.entry(object).or_default().push(record.clone());
            }
            let parents: Vec<CommitId> = checked.tip.into_iter().collect();
            let written = session.add(&addition, tree, &parents, message)?;
            Ok((written.or(checked.tip), checked))
        })?;
        Ok(WrittenBatch { tip, ids, checked, warnings: std::mem::take(&mut session.warnings) })
    }

    /// The blobs to keep; the session keeps those whose content was given.
    fn pins_in(&self, session: &WriteSession<'_>) -> Result<Vec<Pin>, NotesError> {
        let uncommitted = PinSource::Uncommitted(session.seconds());
        let seen = |commit: Option<CommitId>| commit.map_or(uncommitted, PinSource::In);
        let mut pins: Vec<Pin> =
            self.pins.iter().map(|(blob, commit)| Pin { blob: *blob, seen: seen(*commit) }).collect();
        for content in &self.contents {
            pins.push(Pin { blob: put_blob(&session.repo, content)?, seen: uncommitted });
        }
        Ok(pins)
    }

    /// The records with the objects whose notes they go into.
    fn at_home(
        &self,
        session: &WriteSession<'_>,
        tip: Option<CommitId>,
    ) -> Result<Vec<(ObjectId, &Record)>, NotesError> {
        let tree = session.tree_of(tip)?;
        let mut full: BTreeMap<CommitId, bool> = BTreeMap::new();
        let mut placed = Vec::with_capacity(self.records.len());
        for (home, record) in &self.records {
            let object = match *home {
                Home::On(object) => object,
                Home::Anchor { commit: None, blob } => blob.into(),
                Home::Anchor { commit: Some(commit), blob } => {
                    let full = if let Some(full) = full.get(&commit) {
                        *full
                    } else {
                        let is_full = session.is_full(tree, commit.into())?;
                        *full.entry(commit).or_insert(is_full)
                    };
                    if full { blob.into() } else { commit.into() }
                }
            };
            placed.push((object, record));
        }
        Ok(placed)
    }
}

impl WriteSession<'_> {
    /// Whether the note of `object` must not get more comments, because it is too large or not here.
    fn is_full(&self, tree: Option<TreeId>, object: ObjectId) -> Result<bool, NotesError> {
        let Some(tree) = tree else { return Ok(false) };
        let mut size = 0;
        for note in self.note_of(tree, object)? {
            match self.repo.find_header(note.raw()) {
                Ok(header) => size += header.size(),
                Err(_) => return Ok(true),
            }
        }
        Ok(size > MAX_NOTE_BYTES)
    }

    /// The blobs of a note: one, unless it is in the tree at several levels.
    fn note_of(&self, tree: TreeId, object: ObjectId) -> Result<Vec<BlobId>, NotesError> {
        let hex = object.to_string();
        let (mut level, mut rest) = (Some(tree), hex.as_str());
        let mut blobs = Vec::new();
        while let Some(tree) = level {
            let at = |name: &str| {
                let path = RepoPath::new(name).expect("hex digits make a path");
                tree::entry_at(&self.repo, tree, &path)
            };
            blobs.extend(
                at(rest)?.filter(|entry| entry.mode.is_blob()).map(|entry| BlobId::from(entry.id.raw())),
            );
            let Some((folder, below)) = rest.split_at_checked(2).filter(|(_, below)| !below.is_empty())
            else {
                break;
            };
            level =
                at(folder)?.filter(|entry| entry.mode.is_tree()).map(|entry| TreeId::from(entry.id.raw()));
            rest = below;
        }
        Ok(blobs)
    }
}
