//! Whether an object is really not here, while `git gc` moves objects from place to place.
//!
//! Somebody who looks into files, then into packs, can miss an object that goes the other way meanwhile, and gix gives up
//! on a pack that vanishes under it. Where the answer decides what is kept, one failure to find proves nothing.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;

use gix::objs::Exists as _;

use super::error::WriteError;
use super::objects::open_store;
use super::{ObjectId, Repository};

/// So often the packs may change while they are looked into, before the last answer counts.
const LOOKS: usize = 64;

impl Repository {
    /// Returns those of `ids` that are nowhere in this repository.
    ///
    /// Whatever moves an object puts it in its new place first and then changes the list of packs. So who found it in no
    /// place, between two equal lists, has not missed it.
    pub fn lacking(&self, ids: impl IntoIterator<Item = ObjectId>) -> Result<Vec<ObjectId>, WriteError> {
        let mut absent: Vec<ObjectId> = ids.into_iter().collect();
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
