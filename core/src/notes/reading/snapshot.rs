//! All records of the store at one time.

use std::num::NonZeroUsize;

use super::contents::Contents;
use super::page_scan::Purged;
use super::pages::read_each;
use crate::git::tree::{self, TreeDamage};
use crate::git::{BlobId, CommitId, ObjectId, TreeId};
use crate::notes::NotesError;
use crate::record::{Page, Record, Unread};

/// All records of the store at one time, without purged ones.
#[derive(Debug, Default)]
pub struct Snapshot {
    tip: Option<CommitId>,
    pages: Vec<(ObjectId, Page)>,
    purged: Purged,
    damage: Damage,
}

/// What could not be read; it stays in the notes.
#[derive(Debug, Default)]
pub struct Damage {
    /// Pieces of text of other programs in notes.
    pub foreign: usize,
    /// Remains of damaged records.
    pub remains: usize,
    /// Notes that were too costly to read to their end.
    pub over_budget: usize,
    /// Notes whose blob is missing or damaged.
    pub missing: Vec<(ObjectId, NotesError)>,
    /// Parts of the notes tree that are missing or damaged, with all notes in them.
    pub trees: Vec<TreeDamage>,
}

impl Damage {
    /// Whether everything could be read.
    pub fn is_none(&self) -> bool {
        self.foreign == 0
            && self.remains == 0
            && self.over_budget == 0
            && self.missing.is_empty()
            && self.trees.is_empty()
    }

    /// Objects that could not be read and may only have been out of sight.
    pub fn missed(&self) -> impl Iterator<Item = ObjectId> {
        let notes = self.missing.iter().filter_map(|(_, error)| match error {
            NotesError::ReadNote { note_blob_id, .. } => Some((*note_blob_id).into()),
            _ => None,
        });
        notes.chain(self.trees.iter().filter_map(TreeDamage::unreadable))
    }

    fn count(&mut self, page: &Page) {
        for unread in page.unread() {
            match unread {
                Unread::Foreign(_) => self.foreign += 1,
                Unread::Remains(_) => self.remains += 1,
                Unread::OverBudget(_) => self.over_budget += 1,
            }
        }
    }
}

impl Snapshot {
    pub(in crate::notes) fn read(
        repo: &gix::Repository,
        threads: NonZeroUsize,
        tip: CommitId,
        tree: TreeId,
    ) -> Result<Self, NotesError> {
        let listing = tree::list(repo, tree)?;
        let (objects, blobs): (Vec<ObjectId>, Vec<BlobId>) = Contents::notes_in(&listing).into_iter().unzip();
        let mut snapshot =
            Self { tip: Some(tip), pages: Vec::with_capacity(objects.len()), ..Self::default() };
        snapshot.damage.trees = listing.damage;
        for (object, page) in objects.into_iter().zip(read_each(repo, threads, &blobs, Page::parse)) {
            match page {
                Ok(page) => {
                    snapshot.damage.count(&page);
                    page.records().for_each(|record| snapshot.purged.learn(record));
                    snapshot.pages.push((object, page));
                }
                Err(error) => snapshot.damage.missing.push((object, error)),
            }
        }
        if !snapshot.purged.is_empty() {
            for (_, page) in &mut snapshot.pages {
                page.drop_unless(|record| !snapshot.purged.hides(record));
            }
        }
        Ok(snapshot)
    }

    /// Where the notes ref was; `None` while there is none.
    pub fn tip(&self) -> Option<CommitId> {
        self.tip
    }

    /// The records with the objects whose notes they are in; a record can be in several.
    pub fn records(&self) -> impl Iterator<Item = (ObjectId, &Record)> {
        self.pages.iter().flat_map(|(object, page)| page.records().map(|record| (*object, record)))
    }

    /// The pages, in ascending order of the annotated objects' ids.
    pub fn pages(&self) -> impl Iterator<Item = (ObjectId, &Page)> {
        self.pages.iter().map(|(object, page)| (*object, page))
    }

    /// What purges name.
    pub fn purged(&self) -> &Purged {
        &self.purged
    }

    /// What could not be read.
    pub fn damage(&self) -> &Damage {
        &self.damage
    }
}
