//! Packs of a repository, opened a second time for what can be read faster than gix reads it.
//!
//! A pack that was removed since can still be read. What cannot be opened is left to gix, which reports what is wrong.

use std::fs;
use std::path::{Path, PathBuf};

/// A pack, and the list of what is in it.
pub(super) struct OpenPack {
    pub(super) index: gix_pack::index::File,
    pub(super) data: gix_pack::data::File,
}

impl OpenPack {
    /// Returns the paths of the repository's own pack indices, sorted; packs of alternates are left out.
    pub(super) fn names(repo: &gix::Repository) -> Vec<PathBuf> {
        let folder = repo.objects.store_ref().path().join("pack");
        let listed = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut names: Vec<PathBuf> =
            listed.filter(|path| path.extension().is_some_and(|end| end == "idx")).collect();
        names.sort();
        names
    }

    /// Opens the pack with this index.
    pub(super) fn at(index: &Path, hash: gix::hash::Kind) -> Option<Self> {
        let data = gix_pack::data::File::at(index.with_extension("pack"), hash).ok()?;
        Some(Self { index: gix_pack::index::File::at(index, hash).ok()?, data })
    }
}
