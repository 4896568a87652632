//! Hides records everywhere, for good.

use std::collections::BTreeSet;

use crate::git::{BlobId, CommitId, ObjectId};
use crate::notes::merging::unite::{read_page, unite};
use crate::notes::reading::contents::Contents;
use crate::notes::reading::page_scan::Purged;
use crate::notes::writing::addition::Addition;
use crate::notes::writing::write_session::{WriteSession, count};
use crate::notes::{Committer, NotesError, Store};
use crate::record::{PurgeRecord, Record, RecordId};

/// What a purge did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purging {
    /// Where the notes ref is now.
    pub tip: CommitId,
    /// The purge record, which stays.
    pub id: RecordId,
    /// How many records were removed, each counted for every note that it was in.
    pub dropped: usize,
    /// What could not be done after the records were removed, in words.
    pub warnings: Vec<String>,
}

impl Store {
    /// Removes the records that `record`, a purge, names from all notes, and the pins of their blobs.
    ///
    /// What is removed is kept for a while, as after a purge from elsewhere, so that a mistake can be undone. The bytes
    /// stay in the history of the notes until it is rewritten. Fails with [`NotesError::NothingToPurge`] if none of
    /// them is there. Costs reading the whole store.
    pub fn purge(&self, record: &Record, purge: &PurgeRecord, by: &Committer) -> Result<Purging, NotesError> {
        self.session(by)?.retry(|session, checked| session.purge(record, purge, checked.tip))
    }
}

impl WriteSession<'_> {
    fn purge(
        &mut self,
        record: &Record,
        purge: &PurgeRecord,
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
        self.back_up(&union.dropped)?;
        let parents: Vec<CommitId> = tip.into_iter().collect();
        let tip = self.commit(new_tree, &parents, tip, &message(dropped))?;
        let forgotten = self.forget_local_pins(&purge.blobs.iter().copied().collect());
        self.after_write(forgotten, "stop keeping the purged files");
        let warnings = std::mem::take(&mut self.warnings);
        Ok(Purging { tip, id: record.id(), dropped, warnings })
    }

    /// A purge goes into the first note that has what it names, else into the note of the blob that it unpins.
    fn home_of_purge(
        &self,
        contents: &Contents,
        local_pins: &BTreeSet<BlobId>,
        record: &Record,
        purge: &PurgeRecord,
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
         Purged records are no longer shown. The data stays in the history\n\
         of this ref until someone rewrites it.\n",
        count(dropped, "record")
    )
}
