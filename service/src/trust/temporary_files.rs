//! Files that a program has to read: there as long as it runs, below the git directory and nowhere else.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Files of a killed process are removed after this time.
const LEFT_BEHIND: Duration = Duration::from_hours(1);

static COUNT: AtomicU64 = AtomicU64::new(0);

/// A file that is gone when this is.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Writes a file for a program.
    pub fn new(folder: &Path, content: &[u8]) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}", std::process::id()));
        // A file with this name is left from an ended process with the same number.
        let _ = fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let made = Self(path);
        file.write_all(content)?;
        Ok(made)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Removes the files of killed processes.
    pub fn sweep(folder: &Path, now: SystemTime) {
        let old = |entry: &fs::DirEntry| {
            let made = entry.metadata().and_then(|found| found.modified());
            made.is_ok_and(|made| now.duration_since(made).is_ok_and(|age| age > LEFT_BEHIND))
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(old) {
            // Already gone is as good as removed.
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_gone_when_it_is_not_needed_and_old_ones_go_too() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("checking");
        let scratch = Scratch::new(&folder, b"word").unwrap();
        assert_eq!(fs::read(scratch.path()).unwrap(), b"word");
        let other = Scratch::new(&folder, b"other").unwrap();
        drop(scratch);
        Scratch::sweep(&folder, SystemTime::now());
        assert!(other.path().exists(), "young ones stay");
        Scratch::sweep(&folder, SystemTime::now() + LEFT_BEHIND * 2);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
}
