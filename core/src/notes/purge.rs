//! Hides records everywhere, for good.

use std::collections::BTreeSet;

use super::addition::Addition;
use super::merge::unite;
use super::pages::read_blob;
use super::session::Session;
use super::{Committer, NotesError, Store};
use crate::git::{BlobId, CommitId, ObjectId, TreeId};
use crate::record::{Page, Purge, Record, RecordId};

/// What a purge did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purging {
    /// Where the notes ref is now.
    pub tip: CommitId,
    /// The purge itself, which stays.
    pub id: RecordId,
    /// How many records were taken out of how many notes they stood in.
    pub dropped: usize,
}

impl Store {
    /// Takes the records that `record`, a purge, names out of all notes, and their blobs' pins with them.
    ///
    /// The bytes stay in the history of the notes until somebody rewrites it. Fails with
    /// [`NotesError::NothingToPurge`] if nothing of it is there. Costs reading the whole store.
    pub fn purge(&self, record: &Record, purge: &Purge, by: &Committer) -> Result<Purging, NotesError> {
        self.session(by)?.retry(|session, checked| {
            let tree = session.tree_of(checked.tip)?;
            let (Some(tip), Some(tree)) = (checked.tip, tree) else { return Err(NotesError::NothingToPurge) };
            let home = session.home_of_purge(tree, purge)?.ok_or(NotesError::NothingToPurge)?;
            let mut addition = Addition::default();
            addition.records.insert(home, vec![record.clone()]);
            let with_purge = addition.apply(&session.repo, session.threads(), Some(tree))?;
            let union = unite(&session.repo, session.threads(), [session.contents(Some(with_purge))?])?;
            let new_tree = union.contents.write(&session.repo)?;
            let message = message(union.dropped.len());
            let tip = session.commit(new_tree, &[tip], Some(tip), &message)?;
            Ok(Purging { tip, id: record.id(), dropped: union.dropped.len() })
        })
    }
}

impl Session<'_> {
    /// A purge stands in the first note that holds what it names, else beside the blob it unpins.
    fn home_of_purge(&self, tree: TreeId, purge: &Purge) -> Result<Option<ObjectId>, NotesError> {
        let contents = self.contents(Some(tree))?;
        let named: BTreeSet<RecordId> = purge.of.iter().copied().collect();
        let mut buffer = Vec::new();
        for (object, blobs) in &contents.notes {
            for blob in blobs {
                let page = Page::parse(read_blob(&self.repo, *blob, &mut buffer)?);
                if page.records().any(|record| named.contains(&record.id()) && record.kind() != Purge::KIND) {
                    return Ok(Some(*object));
                }
            }
        }
        let pinned = purge.blobs.iter().find(|blob: &&BlobId| contents.pins.contains(blob));
        Ok(pinned.map(|blob| ObjectId::from(*blob)))
    }
}

fn message(dropped: usize) -> String {
    format!(
        "Purge {dropped} records\n\n\
         They are shown nowhere any more. Their bytes stay in the history of this\n\
         ref until somebody rewrites it.\n"
    )
}
