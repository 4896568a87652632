//! Small files of a repository's writer, beside the refs: what no `git fetch` writes, prunes or pushes.
//!
//! They are replaced whole or get a line more, and are not synced. What is in them is the caller's business.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use super::{Repository, WriterLock};

/// A longer file is none of ours.
const MAX_BYTES: u64 = 1 << 20;

impl Repository {
    /// Reads a file that a writer left; `None` if there is none, or none that can be read.
    pub fn beside(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.common_dir().join("postil").join(name);
        fs::metadata(&path).is_ok_and(|file| file.len() <= MAX_BYTES).then(|| fs::read(&path).ok()).flatten()
    }
}

impl WriterLock<'_> {
    /// Adds to the end of a file that is there, at once: nobody sees a part of it.
    pub fn append_beside(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().append(true).open(self.dir().join(name))?.write_all(bytes)
    }

    /// Replaces a file; whoever reads meanwhile sees the old one or the new one.
    pub fn write_beside(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.dir().join(name);
        // Nobody else is the writer, so one that is there was left by a dead one.
        let new = path.with_extension("new");
        let written = fs::write(&new, bytes)
            .and_then(|()| self.repository().sharing().apply(&new))
            .and_then(|()| fs::rename(&new, &path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}
