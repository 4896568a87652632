//! The files on disk that subscribers want events of.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use postil_protocol::{ByteText, RepositoryName};

use crate::watching::repository_paths;

/// So many files that are gone are waited for, in case they come back.
const MAX_AWAITED: usize = 1024;

/// A file, and the work tree that it is in.
type WatchedFile = (RepositoryName, ByteText);

/// The files on disk that subscribers want events of.
#[derive(Debug, Default)]
pub(crate) struct WatchedFiles(BTreeSet<WatchedFile>);

impl WatchedFiles {
    /// Puts these in the place of those before; says whether they are others.
    ///
    /// What was there and is gone from the disk may come back, and comments with it.
    pub(crate) fn replace(&mut self, mut files: BTreeSet<WatchedFile>) -> bool {
        let work_trees: BTreeSet<RepositoryName> = files.iter().map(|(name, _)| name.clone()).collect();
        let is_gone = |(name, file): &&WatchedFile| {
            work_trees.contains(name)
                && repository_paths::work_tree(name)
                    .is_some_and(|root| !root.join(OsStr::from_bytes(file.as_bytes())).exists())
        };
        let gone: Vec<WatchedFile> =
            self.0.difference(&files).filter(is_gone).take(MAX_AWAITED).cloned().collect();
        files.extend(gone);
        let is_other = self.0 != files;
        self.0 = files;
        is_other
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<WatchedFile> {
        self.0.iter().cloned().collect()
    }
}
