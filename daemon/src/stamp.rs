//! What tells one file or folder from another that has taken its place.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

/// The identity of a file or folder; of a file, also of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    /// Inodes are used again, at once where a folder is deleted and cloned anew; not every file system tells.
    made: Option<SystemTime>,
    written: Option<(u64, i64, i64)>,
}

impl Stamp {
    /// The stamp of a folder, whatever is in it.
    pub(crate) fn of_folder(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(Metadata::is_dir)?;
        Some(Self::new(&found, None))
    }

    /// The stamp of a file as it is written now.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self::new(&found, Some((found.size(), found.mtime(), found.mtime_nsec()))))
    }

    /// Whether a file was written before that moment, as far as its times tell.
    pub(crate) fn is_from_before(&self, moment: SystemTime) -> bool {
        let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.written.is_some_and(|(_, seconds, nanoseconds)| {
            (i128::from(seconds), i128::from(nanoseconds))
                < (i128::from(since.as_secs()), i128::from(since.subsec_nanos()))
        })
    }

    fn new(found: &Metadata, written: Option<(u64, i64, i64)>) -> Self {
        Self { device: found.dev(), inode: found.ino(), made: found.created().ok(), written }
    }
}
