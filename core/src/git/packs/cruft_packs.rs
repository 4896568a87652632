//! Cruft packs: packs of unreachable objects, which `git gc` makes and deletes later.
//!
//! An object that is only there may go at any time: a running `git repack -a -d` may have read the refs before one
//! reached the object. Git itself writes such an object again.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;

use crate::git::durable_write::loose_writer::path_of;
use crate::git::{ObjectId, Repository};

/// The cruft packs of a repository, as they are now.
pub(in crate::git) struct CruftPacks {
    objects_dir: PathBuf,
    hash: gix::hash::Kind,
    cruft: Vec<gix_pack::index::File>,
    /// The indices of all other packs, which are opened if needed.
    other_paths: Vec<PathBuf>,
    others: OnceCell<Vec<gix_pack::index::File>>,
}

impl CruftPacks {
    /// Costs one listing of the packs if there is none. A pack that is gone or damaged is skipped.
    pub(in crate::git) fn open(repo: &Repository) -> Self {
        let objects_dir = repo.objects_dir();
        let listed = fs::read_dir(objects_dir.join("pack")).into_iter().flatten().flatten();
        let paths: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
        let is = |path: &PathBuf, extension: &str| path.extension().is_some_and(|ext| ext == extension);
        let (cruft, other_paths) = paths
            .iter()
            .filter(|path| is(path, "idx"))
            .cloned()
            .partition(|path: &PathBuf| paths.contains(&path.with_extension("mtimes")));
        let hash = repo.object_hash();
        Self { cruft: open_indices(cruft, hash), objects_dir, hash, other_paths, others: OnceCell::new() }
    }

    /// Whether the object is in one of them, and neither in another pack nor a loose file of its own.
    pub(in crate::git) fn threaten(&self, id: ObjectId) -> bool {
        let is_in =
            |indices: &[gix_pack::index::File]| indices.iter().any(|index| index.lookup(id.raw()).is_some());
        let others = || self.others.get_or_init(|| open_indices(self.other_paths.clone(), self.hash));
        is_in(&self.cruft) && !path_of(&self.objects_dir, id).is_file() && !is_in(others())
    }
}

fn open_indices(paths: Vec<PathBuf>, hash: gix::hash::Kind) -> Vec<gix_pack::index::File> {
    paths.into_iter().filter_map(|path| gix_pack::index::File::at(path, hash).ok()).collect()
}
