//! Finds out whether an object is really missing, even while `git gc` moves objects around.
//!
//! A reader that looks at loose files first and at packs second can miss an object that moves the other way
//! meanwhile, and gix gives up on a pack that vanishes while it is read. So one failed search does not prove that an
//! object is missing.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;

use gix::objs::Exists as _;

use super::durable_write::store_objects::open_store;
use super::error::WriteError;
use super::{ObjectId, Repository};

/// How often the search is repeated if the packs change meanwhile; then the last answer counts.
const LOOKS: usize = 64;

impl Repository {
    /// Returns those of `ids` that are nowhere in this repository.
    ///
    /// Git puts an object in its new place before it changes the list of packs. So if the list is the same before and
    /// after a search, the search missed nothing. What git removed although it was just written is put back.
    pub fn lacking(&self, ids: impl IntoIterator<Item = ObjectId>) -> Result<Vec<ObjectId>, WriteError> {
        let absent = self.not_found(ids.into_iter().collect())?;
        if self.keeps_any(&absent) && self.restore_kept(&absent) > 0 {
            self.not_found(absent)
        } else {
            Ok(absent)
        }
    }

    fn not_found(&self, mut absent: Vec<ObjectId>) -> Result<Vec<ObjectId>, WriteError> {
        for _ in 0..LOOKS {
            if absent.is_empty() {
                break;
            }
            let before = self.pack_names()?;
            let store = open_store(self)?;
            absent.retain(|id| !store.exists(&id.raw()));
            if before == self.pack_names()? {
                break;
            }
        }
        Ok(absent)
    }

    fn pack_names(&self) -> Result<BTreeSet<OsString>, WriteError> {
        let dir = self.objects_dir().join("pack");
        let listed =
            fs::read_dir(&dir).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        match listed {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(source) => Err(WriteError::File { path: dir, source }),
            Ok(names) => Ok(names),
        }
    }
}
