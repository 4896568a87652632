//! Which exchanges in the background failed, and why: a small file that outlives the daemon, for `postil status`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Used as the remote if the sync failed before one was chosen.
pub const NOBODY: &str = "";

/// Longer output is not shown.
const MAX_BYTES: usize = 2048;

/// What is between the name of a remote and what went wrong with it, on a line.
const BETWEEN: char = '\t';

/// What marks trouble that a person can end by sending files along.
const UNSENT: &str = "unsent";

/// What went wrong with a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyncFailure {
    /// In words, on one line.
    pub said: String,
    /// Whether files are in the way that git has not sent there.
    pub is_unsent: bool,
}

/// The last failure of each remote that has not succeeded since.
pub fn last_failures(common_dir: &Path) -> Vec<(String, SyncFailure)> {
    let mut bytes = fs::read(file(common_dir)).unwrap_or_default();
    bytes.truncate(MAX_BYTES);
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let split = |line: &str| {
        let (name, said) = line.split_once(BETWEEN).unwrap_or((NOBODY, line));
        let (said, mark) = said.split_once(BETWEEN).unwrap_or((said, ""));
        (name.to_owned(), SyncFailure { said: said.to_owned(), is_unsent: mark == UNSENT })
    };
    lines.map(split).collect()
}

/// Forgets what went wrong with a remote: there was an exchange with it.
///
/// What it is about the whole repository is forgotten too. One that cannot be forgotten is shown once more.
pub fn made_good(common_dir: &Path, remote: &str) {
    if file(common_dir).exists() {
        // The next background sync writes it again.
        let _ = note(common_dir, remote, None);
    }
}

/// Writes down how an exchange with a remote ended.
pub fn note(common_dir: &Path, remote: &str, trouble_now: Option<&SyncFailure>) -> io::Result<()> {
    let mut known = last_failures(common_dir);
    known.retain(|(name, _)| name != NOBODY && name != remote);
    known.extend(trouble_now.map(|trouble| (remote.to_owned(), trouble.clone())));
    let file = file(common_dir);
    if known.is_empty() {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let one_line = |said: &str| said.replace(['\n', BETWEEN], " ");
    let lines = known.into_iter().map(|(name, trouble)| {
        let mark = if trouble.is_unsent { format!("{BETWEEN}{UNSENT}") } else { String::new() };
        format!("{name}{BETWEEN}{}{mark}\n", one_line(&trouble.said))
    });
    fs::write(file, lines.collect::<String>())
}

fn file(common_dir: &Path) -> PathBuf {
    common_dir.join("postil").join("sync-trouble")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_remote_has_its_own_trouble_until_it_is_made_good() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(dir.path().join("postil")).expect("a folder can be made");
        let said = |said: &str, is_unsent| SyncFailure { said: said.to_owned(), is_unsent };
        let known = || last_failures(dir.path());
        let write = |remote: &str, now: Option<&SyncFailure>| {
            note(dir.path(), remote, now).expect("it can be written");
        };
        assert_eq!(known(), []);
        write("origin", Some(&said("no\nway", false)));
        write("fork", Some(&said("files", true)));
        let (origin, fork) =
            (("origin".to_owned(), said("no way", false)), ("fork".to_owned(), said("files", true)));
        assert_eq!(known(), [origin.clone(), fork]);
        write("fork", None);
        assert_eq!(known(), [origin]);
        made_good(dir.path(), "origin");
        assert_eq!(known(), []);
        write(NOBODY, Some(&said("there is no remote", false)));
        made_good(dir.path(), "origin");
        assert_eq!(known(), []);
        made_good(dir.path(), "origin");
        assert!(!file(dir.path()).exists());
    }
}
