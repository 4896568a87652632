//! Keeps records for a while that purges removed.
//!
//! Everybody who can push can purge, and everybody can be wrong. `refs/postil/purged` points to a tree of `<second it was noticed>/<annotated
//! object>/<record>`; what is older than 90 days is removed at the next merge or purge.

use std::collections::BTreeSet;

use gix::bstr::BString;
use gix::objs::tree::EntryKind;

use crate::git::tree::{self, TreeEntry};
use crate::git::{CommitId, Durability, ObjectId, history};
use crate::notes::NotesError;
use crate::notes::merging::heal::Brought;
use crate::notes::merging::unite::read_page;
use crate::notes::reading::page_scan::PageScan;
use crate::notes::reading::pages::read_blob;
use crate::notes::refs;
use crate::notes::store::Store;
use crate::notes::writing::memory_objects::{edit_tree, put_blob, put_tree};
use crate::notes::writing::write_session::WriteSession;
use crate::record::{Record, RecordId};

/// How long a record that a purge removed is kept.
pub const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A record that a purge removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgedRecord {
    /// When that was noticed, in seconds since 1970.
    pub since: i64,
    /// The object whose note it was in.
    pub object: ObjectId,
    /// The record.
    pub record: Record,
}

impl Store {
    /// Returns the records that purges removed, as far as they are still kept.
    pub fn purged_records(&self) -> Result<Vec<PurgedRecord>, NotesError> {
        let handle = self.repository().handle();
        let Some(tip) = self.repository().read_ref(&refs::name(refs::PURGED))? else { return Ok(Vec::new()) };
        let tree = history::commit(&handle, tip.raw().into())?.tree;
        let mut kept = Vec::new();
        let mut buffer = Vec::new();
        for (path, entry) in tree::list(&handle, tree)?.entries {
            let Some((since, object)) = read_path(path.as_bytes()) else { continue };
            let Ok(bytes) = read_blob(&handle, entry.id.raw().into(), &mut buffer) else { continue };
            if let Ok(record) = Record::from_bytes(bytes) {
                kept.push(PurgedRecord { since, object, record });
            }
        }
        Ok(kept)
    }
}

impl WriteSession<'_> {
    /// Keeps the records of `known`, the notes as they were, that purges in `brought` name.
    ///
    /// Returns their ids. What was kept long enough is removed.
    pub fn back_up_purged(
        &mut self,
        known: Option<CommitId>,
        brought: &Brought,
    ) -> Result<BTreeSet<RecordId>, NotesError> {
        let taken = match known {
            Some(known) => self.taken_from(known, brought)?,
            None => Vec::new(),
        };
        self.back_up(&taken)?;
        Ok(taken.iter().map(|(_, record)| record.id()).collect())
    }

    fn taken_from(&self, known: CommitId, brought: &Brought) -> Result<Vec<(ObjectId, Record)>, NotesError> {
        let theirs = PageScan::gather(&self.repo, self.reader(), &brought.notes);
        self.believe_lost(theirs.missed)?;
        let purged = theirs.purged;
        if purged.is_empty() {
            return Ok(Vec::new());
        }
        let ours = self.contents(self.tree_of(Some(known))?)?.notes;
        let own = PageScan::gather(&self.repo, self.reader(), &ours);
        self.believe_lost(own.missed)?;
        let mut taken = Vec::new();
        for (object, blobs) in &ours {
            let Ok(mut page) = read_page(&self.repo, blobs) else { continue };
            let hidden = page.drop_unless(|record| own.purged.hides(record) || !purged.hides(record));
            taken.extend(hidden.into_iter().map(|record| (*object, record)));
        }
        Ok(taken)
    }

    /// Keeps records that a purge is about to remove; removes those that were kept long enough.
    pub(super) fn back_up(&mut self, dropped: &[(ObjectId, Record)]) -> Result<(), NotesError> {
        let tip = self.read_ref(refs::PURGED)?;
        if dropped.is_empty() && tip.is_none() {
            return Ok(());
        }
        let now = self.seconds();
        let before = self.tree_of(tip)?;
        let mut editor = edit_tree(&self.repo, None)?;
        if let Some(tree) = before {
            for (path, entry) in tree::list(&self.repo, tree)?.entries {
                if read_path(path.as_bytes())
                    .is_some_and(|(since, _)| now.saturating_sub(since) < KEPT_SECONDS)
                {
                    keep(&mut editor, path.as_bytes().split(|b| *b == b'/').map(BString::from), entry)?;
                }
            }
        }
        for (object, record) in dropped {
            let blob = put_blob(&self.repo, record.as_bytes())?;
            let path = [now.to_string().into(), object.to_string().into(), record.id().to_string().into()];
            let entry = TreeEntry { mode: EntryKind::Blob.into(), id: blob.into() };
            keep(&mut editor, path, entry)?;
        }
        let tree = put_tree(&self.repo, editor)?;
        if Some(tree) == before {
            return Ok(());
        }
        if tree.raw() == self.repo.object_hash().empty_tree() {
            return self.swap(refs::PURGED, tip, None, "postil: kept long enough", Durability::Relaxed);
        }
        // Without parents: what is forgotten is not to live on in the history of the ref.
        self.move_local_ref(refs::PURGED, tip, tree, &[], "Keep purged records")
    }
}

fn keep(
    editor: &mut gix::objs::tree::Editor<'_>,
    path: impl IntoIterator<Item = BString>,
    entry: TreeEntry,
) -> Result<(), NotesError> {
    editor.upsert(path, entry.mode.kind(), entry.id.raw()).map(drop).map_err(NotesError::write_tree)
}

fn read_path(path: &[u8]) -> Option<(i64, ObjectId)> {
    let mut parts = path.split(|b| *b == b'/');
    let since = std::str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    let object = ObjectId::from_hex(parts.next()?)?;
    Some((since, object))
}
