//! The files in which two trees differ.
//!
//! By their names alone: which of them is another one renamed is `same_file`' work.

use std::collections::HashSet;

use gix::objs::TreeRefIter;

use crate::git::{BlobId, RepoPath, TreeId};

use super::objects::{ObjectError, Objects, failure};

/// The files in which two trees differ, each list sorted by path.
#[derive(Debug, Default)]
pub(crate) struct TreeDifferences {
    pub added: Vec<(RepoPath, BlobId)>,
    pub deleted: Vec<(RepoPath, BlobId)>,
    pub modified: Vec<(RepoPath, BlobId, BlobId)>,
    /// What was deleted under one name and added under another as it was.
    pub renamed: HashSet<BlobId>,
}

impl TreeDifferences {
    /// Compares two trees.
    pub fn between(objects: &Objects, old: TreeId, new: TreeId) -> Result<Self, ObjectError> {
        use gix::diff::tree::recorder::{Change, Location};
        let (old_data, new_data) = (objects.read(old.raw())?, objects.read(new.raw())?);
        let mut recorder = gix::diff::tree::Recorder::default().track_location(Some(Location::Path));
        let hash = objects.hash();
        gix::diff::tree(
            TreeRefIter::from_bytes(&old_data, hash),
            TreeRefIter::from_bytes(&new_data, hash),
            gix::diff::tree::State::default(),
            objects,
            &mut recorder,
        )
        .map_err(|error| failure(new.raw(), &error))?;
        let mut changes = Self::default();
        let named = |path: gix::bstr::BString| RepoPath::new(Vec::from(path));
        for record in recorder.records {
            match record {
                Change::Addition { entry_mode, oid, path, .. } if entry_mode.is_blob() => {
                    changes.added.extend(named(path).map(|path| (path, oid.into())));
                }
                Change::Deletion { entry_mode, oid, path, .. } if entry_mode.is_blob() => {
                    changes.deleted.extend(named(path).map(|path| (path, oid.into())));
                }
                Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path } => {
                    let Some(path) = named(path) else { continue };
                    match (previous_entry_mode.is_blob(), entry_mode.is_blob()) {
                        (true, true) => changes.modified.push((path, previous_oid.into(), oid.into())),
                        (true, false) => changes.deleted.push((path, previous_oid.into())),
                        (false, true) => changes.added.push((path, oid.into())),
                        (false, false) => {}
                    }
                }
                Change::Addition { .. } | Change::Deletion { .. } => {}
            }
        }
        changes.added.sort();
        changes.deleted.sort();
        changes.modified.sort();
        let deleted: HashSet<BlobId> = changes.deleted.iter().map(|(_, blob)| *blob).collect();
        let added = changes.added.iter().map(|(_, blob)| *blob);
        changes.renamed = added.filter(|blob| deleted.contains(blob)).collect();
        Ok(changes)
    }
}
