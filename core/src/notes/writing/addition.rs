//! Records and pins that are to be added to a notes tree.

use std::collections::{BTreeMap, BTreeSet};

use super::memory_objects::{edit_tree, put_tree};
use crate::git::{BlobId, ObjectId, TreeId};
use crate::notes::NotesError;
use crate::notes::merging::unite::{unite, write_page};
use crate::notes::reading::contents::{Contents, upsert_pins};
use crate::notes::reading::page_scan::PageScanner;
use crate::notes::reading::pages::read_blob;
use crate::record::{Page, PurgeRecord, Record};

/// Records and pins that are to be added to a notes tree.
#[derive(Clone, Debug, Default)]
pub(in crate::notes) struct Addition {
    pub records: BTreeMap<ObjectId, Vec<Record>>,
    pub pins: BTreeSet<BlobId>,
}

impl Addition {
    /// How many records these are, counting those for several notes as several.
    pub fn record_count(&self) -> usize {
        self.records.values().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.pins.is_empty()
    }

    /// Writes `tree` with these added; what is there already stays as it is.
    ///
    /// Costs what is added, not what exists, unless the tree holds a note twice: then all of it is
    /// brought into one form.
    pub fn apply(
        &self,
        repo: &gix::Repository,
        reader: PageScanner<'_>,
        tree: Option<TreeId>,
    ) -> Result<TreeId, NotesError> {
        let tree = tree.unwrap_or_else(|| TreeId::from(gix::ObjectId::empty_tree(repo.object_hash())));
        match self.add_notes(repo, self.add_pins(repo, tree)?) {
            Ok(tree) => Ok(tree),
            Err(NotesError::WriteTree { .. }) => {
                let whole = unite(repo, reader, [Contents::read(repo, tree)?])?.contents.write(repo)?;
                self.add_notes(repo, self.add_pins(repo, whole)?)
            }
            Err(error) => Err(error),
        }
    }

    /// As [`Addition::apply`], and removes what purges among these name.
    ///
    /// A tree from before a purge still has what the purge removed. With a purge, this costs reading the whole tree.
    pub fn apply_with_purges(
        &self,
        repo: &gix::Repository,
        reader: PageScanner<'_>,
        tree: Option<TreeId>,
    ) -> Result<TreeId, NotesError> {
        let new = self.apply(repo, reader, tree)?;
        if !self.records.values().flatten().any(|record| record.is(PurgeRecord::KIND)) {
            return Ok(new);
        }
        unite(repo, reader, [Contents::read(repo, new)?])?.contents.write(repo)
    }

    fn add_pins(&self, repo: &gix::Repository, tree: TreeId) -> Result<TreeId, NotesError> {
        if self.pins.is_empty() {
            return Ok(tree);
        }
        let mut editor = edit_tree(repo, Some(tree))?;
        upsert_pins(&mut editor, self.pins.iter().copied())?;
        put_tree(repo, editor)
    }

    fn add_notes(&self, repo: &gix::Repository, tree: TreeId) -> Result<TreeId, NotesError> {
        if self.records.is_empty() {
            return Ok(tree);
        }
        // One that has opened everything writes everything, so each group begins with a fresh one.
        let mut state = gix_note::State::new(tree.raw(), &repo.objects).map_err(NotesError::write_tree)?;
        let mut buffer = Vec::new();
        for (object, records) in &self.records {
            let note = state.get(&object.raw(), &repo.objects).map_err(NotesError::write_tree)?;
            let mut page = match note {
                Some(blob) => Page::parse(read_blob(repo, blob.into(), &mut buffer)?),
                None => Page::default(),
            };
            if records.iter().all(|record| page.contains(record.id())) {
                continue;
            }
            page.union(Page::of(records.iter().cloned()));
            let blob = write_page(repo, &page)?;
            state.edit(object.raw(), Some(blob.raw()), &repo.objects).map_err(NotesError::write_tree)?;
        }
        state.write(&repo.objects).map(TreeId::from).map_err(NotesError::write_tree)
    }
}
