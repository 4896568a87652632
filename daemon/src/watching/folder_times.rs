//! Whether a repository can have changed since it was last read, by the times of its folders alone.
//!
//! Opening a file is an event for the process that watches its folder, which is this daemon: reading ten
//! quiet repositories once a minute would wake it for every file. Reading a file's times causes no event.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use postil_service::Stamp;

/// What was written more recently may have been written again in the same tick of the file system's clock, or while
/// it was read.
const SETTLED: Duration = Duration::from_secs(10);

/// The files and folders that a look has read, as they were then.
#[derive(Debug, Default)]
pub(crate) struct FolderTimes {
    seen: Vec<(PathBuf, Option<Stamp>)>,
    settled: bool,
}

impl FolderTimes {
    /// Remembers how these are; they were read just now.
    pub(crate) fn of(paths: Vec<PathBuf>) -> Self {
        let seen: Vec<_> = paths.into_iter().map(|path| (Stamp::of_file(&path), path)).collect();
        let limit = SystemTime::now().checked_sub(SETTLED);
        let settled = limit.is_some_and(|limit| {
            seen.iter().all(|(stamp, _)| stamp.as_ref().is_none_or(|stamp| stamp.is_from_before(limit)))
        });
        Self { seen: seen.into_iter().map(|(stamp, path)| (path, stamp)).collect(), settled }
    }

    /// Whether looking again would show the same; whatever is not certain is no.
    pub(crate) fn holds(&self) -> bool {
        self.settled && self.seen.iter().all(|(path, was)| Stamp::of_file(path) == *was)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use super::*;

    /// Makes a file or folder look as if it had been written so long ago.
    fn age(path: &Path, by: Duration) {
        File::open(path).unwrap().set_modified(SystemTime::now() - by).unwrap();
    }

    #[test]
    fn what_was_not_touched_holds_and_what_was_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (head, absent) = (folder.path().join("HEAD"), folder.path().join("packed-refs"));
        fs::write(&head, "ref: refs/heads/main\n").unwrap();
        let paths = || vec![head.clone(), absent.clone()];
        assert!(!FolderTimes::default().holds(), "nothing was looked at yet");
        assert!(!FolderTimes::of(paths()).holds(), "written just now");
        age(&head, Duration::from_mins(1));
        let folder_times = FolderTimes::of(paths());
        assert!(folder_times.holds());
        fs::write(&absent, "").unwrap();
        assert!(!folder_times.holds(), "a file has come");
        fs::remove_file(&absent).unwrap();
        assert!(folder_times.holds());
        fs::write(&head, "ref: refs/heads/side\n").unwrap();
        assert!(!folder_times.holds(), "a file was written");
    }

    #[test]
    fn a_folder_does_not_hold_when_something_comes_into_it() {
        let folder = tempfile::tempdir().unwrap();
        age(folder.path(), Duration::from_mins(1));
        let folder_times = FolderTimes::of(vec![folder.path().to_owned()]);
        assert!(folder_times.holds());
        fs::write(folder.path().join("main"), "").unwrap();
        assert!(!folder_times.holds());
    }
}
