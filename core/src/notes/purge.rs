//! Hides records everywhere, for good.

use std::collections::BTreeSet;

use super::addition::Addition;
use super::contents::Contents;
use super::merge::{read_page, unite};
use super::session::{Session, count};
use super::upkeep::Purged;
use super::{Committer, NotesError, Store};
use crate::git::{BlobId, CommitId, ObjectId};
use crate::record::{Purge, Record, RecordId};

/// What a purge did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purging {
    /// Where the notes ref is now.
    pub tip: CommitId,
    /// The purge itself, which stays.
    pub id: RecordId,
    /// How many records were taken out, each counted for every note that it stood in.
    pub dropped: usize,
}

impl Store {
    /// Takes the records that `record`, a purge, names out of all notes, and their blobs' pins with them.
    ///
    /// The bytes stay in the history of the notes until somebody rewrites it. Fails with
    /// [`NotesError::NothingToPurge`] if nothing of it is there. Costs reading the whole store.
    pub fn purge(&self, record: &Record, purge: &Purge, by: &Committer) -> Result<Purging, NotesError> {
        self.session(by)?.retry(|session, checked| session.purge(record, purge, checked.tip))
    }
}

impl Session<'_> {
    fn purge(
        &mut self,
        record: &Record,
        purge: &Purge,
        tip: Option<CommitId>,
    ) -> Result<Purging, NotesError> {
        let tree = self.tree_of(tip)?;
        let local: BTreeSet<BlobId> = self.local_pins()?.iter().map(|pin| pin.blob).collect();
        let home = self.home_of_purge(&self.contents(tree)?, &local, record, purge);
        let addition = Addition {
            records: [(home.ok_or(NotesError::NothingToPurge)?, vec![record.clone()])].into(),
            ..Addition::default()
        };
        let with_purge = addition.apply(&self.repo, self.reader(), tree)?;
        let union = unite(&self.repo, self.reader(), [self.contents(Some(with_purge))?])?;
        self.believe_lost(union.missed)?;
        let new_tree = union.contents.write(&self.repo)?;
        let dropped = union.dropped.len();
        let parents: Vec<CommitId> = tip.into_iter().collect();
        let tip = self.commit(new_tree, &parents, tip, &message(dropped))?;
        self.forget_local_pins(&purge.blobs.iter().copied().collect())?;
        Ok(Purging { tip, id: record.id(), dropped })
    }

    /// A purge stands in the first note that holds what it names, else beside the blob it unpins.
    fn home_of_purge(
        &self,
        contents: &Contents,
        local_pins: &BTreeSet<BlobId>,
        record: &Record,
        purge: &Purge,
    ) -> Option<ObjectId> {
        let mut named = Purged::default();
        named.learn(record);
        for (object, blobs) in &contents.notes {
            // A note that cannot be read holds nothing that could be taken out of it here.
            let Ok(page) = read_page(&self.repo, blobs) else { continue };
            if page.records().any(|stored| named.hides(stored)) {
                return Some(*object);
            }
        }
        let is_pinned = |blob: &&BlobId| contents.pins.contains(blob) || local_pins.contains(blob);
        purge.blobs.iter().find(is_pinned).map(|blob| ObjectId::from(*blob))
    }
}

fn message(dropped: usize) -> String {
    format!(
        "Purge {}\n\n\
         What was purged is shown nowhere any more. The bytes stay in the history\n\
         of this ref until somebody rewrites it.\n",
        count(dropped, "record")
    )
}
