//! Small files of a repository's writer that are not refs, so that no `git fetch` writes, prunes or pushes them.
//!
//! They are replaced as a whole or appended to, and are not synced. What is in them is the caller's business.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use crate::git::{Repository, WriterLock};

/// A longer file is not ours.
const MAX_BYTES: u64 = 1 << 20;

impl Repository {
    /// Reads a file that a writer left; `None` if it is missing or cannot be read.
    pub fn state_file(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.common_dir().join("postil").join(name);
        fs::metadata(&path).is_ok_and(|file| file.len() <= MAX_BYTES).then(|| fs::read(&path).ok()).flatten()
    }
}

impl WriterLock<'_> {
    /// Appends to an existing file in one write: no reader sees a part of it.
    pub fn append_state_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().append(true).open(self.dir().join(name))?.write_all(bytes)
    }

    /// Replaces a file; a reader sees the old one or the new one.
    pub fn write_state_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
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
