//! Stamps: whether a file or folder is still the same, or another has taken its place.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

/// The identity of a file or folder; of a file, also of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    /// Inodes are reused, at once if a folder is deleted and cloned again. Not every file system has this
    /// time.
    made: Option<SystemTime>,
    written: Option<ContentStamp>,
}

/// What a file's content changes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ContentStamp {
    size: u64,
    at: (i64, i64),
    /// Who sets the time of writing by hand cannot set this one.
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a folder, whatever is in it.
    pub fn of_folder(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(Metadata::is_dir)?;
        Some(Self::new(&found, None))
    }

    /// The stamp of a file as it is written now.
    pub fn of_file(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self::new(&found, Some(ContentStamp::of(&found))))
    }

    /// Whether a file was written before that moment, as far as its times show.
    pub fn is_from_before(&self, moment: SystemTime) -> bool {
        self.written.as_ref().is_some_and(|written| written.at < parts(moment))
    }

    fn new(found: &Metadata, written: Option<ContentStamp>) -> Self {
        Self { device: found.dev(), inode: found.ino(), made: found.created().ok(), written }
    }
}

impl ContentStamp {
    fn of(found: &Metadata) -> Self {
        let changed = (found.ctime(), found.ctime_nsec());
        Self { size: found.size(), at: (found.mtime(), found.mtime_nsec()), changed }
    }
}

/// A moment as file systems write it: seconds since 1970, and nanoseconds.
fn parts(moment: SystemTime) -> (i64, i64) {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()))
}
