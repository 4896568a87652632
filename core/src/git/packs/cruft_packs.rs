//! Cruft packs: packs of unreachable objects, which `git gc` makes and deletes later.
//!
//! An object that is only there may go at any time: a running `git repack -a -d` may have read the refs before one
//! reached the object. Git itself writes such an object again.

use std::fs;
use std::path::PathBuf;

use crate::git::durable_write::loose_writer::path_of;
use crate::git::{ObjectId, Repository};

/// The cruft packs of a repository, as they are now.
pub(in crate::git) struct CruftPacks {
    objects_dir: PathBuf,
    indices: Vec<gix_pack::index::File>,
}

impl CruftPacks {
    /// Costs one listing of the packs if there is none. A pack that is gone or damaged is skipped.
    pub(in crate::git) fn open(repo: &Repository) -> Self {
        let objects_dir = repo.objects_dir();
        let listed = fs::read_dir(objects_dir.join("pack")).into_iter().flatten().flatten();
        let times = listed
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "mtimes"));
        let open =
            |path: PathBuf| gix_pack::index::File::at(path.with_extension("idx"), repo.object_hash()).ok();
        Self { indices: times.filter_map(open).collect(), objects_dir }
    }

    /// Whether the object is in one of them and no loose file of its own.
    pub(in crate::git) fn threaten(&self, id: ObjectId) -> bool {
        let raw = id.raw();
        self.indices.iter().any(|index| index.lookup(raw).is_some())
            && !path_of(&self.objects_dir, id).is_file()
    }
}
