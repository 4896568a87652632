//! Packs of what no ref leads to, which `git gc` makes and throws away later.
//!
//! An object that is found there only is about to go: a `git repack -a -d` that is running may have looked at the refs
//! before one led to it, and removes the pack at any time after. Git itself writes such an object anew.

use std::fs;
use std::path::PathBuf;

use super::loose::path_of;
use super::{ObjectId, Repository};

/// The cruft packs of a repository, as they are now.
pub(super) struct CruftPacks {
    objects_dir: PathBuf,
    indices: Vec<gix_pack::index::File>,
}

impl CruftPacks {
    /// Costs one listing of the packs where there is none. One that is gone by now, or damaged, is passed over.
    pub(super) fn open(repo: &Repository) -> Self {
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
    pub(super) fn threaten(&self, id: ObjectId) -> bool {
        let raw = id.raw();
        self.indices.iter().any(|index| index.lookup(raw).is_some())
            && !path_of(&self.objects_dir, id).is_file()
    }
}
