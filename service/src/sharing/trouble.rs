//! Which exchanges in the background failed, and why: a small file that outlives the daemon, for `postil status`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Stands for the remote where no exchange began with any.
pub const NOBODY: &str = "";

/// More is not shown to anybody.
const MAX_BYTES: usize = 2048;

/// What is between the name of a remote and what went wrong with it, on a line.
const BETWEEN: char = '\t';

/// What went wrong last, as far as it was not made good since.
pub fn trouble(common_dir: &Path) -> Option<String> {
    let said: Vec<String> = read(common_dir).into_iter().map(|(_, said)| said).collect();
    Some(said.join("; ")).filter(|said| !said.is_empty())
}

/// Forgets what went wrong with a remote: there was an exchange with it.
///
/// What it is about the whole repository is forgotten too. One that cannot be forgotten is shown once more.
pub fn made_good(common_dir: &Path, remote: &str) {
    if file(common_dir).exists() {
        // The next exchange in the background writes it anew.
        let _ = note(common_dir, &[(remote, None)]);
    }
}

/// Writes down how exchanges with these remotes ended.
pub fn note(common_dir: &Path, outcomes: &[(&str, Option<&str>)]) -> io::Result<()> {
    let mut known = read(common_dir);
    known.retain(|(name, _)| name != NOBODY && outcomes.iter().all(|(remote, _)| remote != name));
    let one_line = |said: &str| said.replace(['\n', BETWEEN], " ");
    known.extend(outcomes.iter().filter_map(|(name, said)| Some(((*name).to_owned(), one_line((*said)?)))));
    let file = file(common_dir);
    if known.is_empty() {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let lines = known.into_iter().map(|(name, said)| format!("{name}{BETWEEN}{said}\n"));
    fs::write(file, lines.collect::<String>())
}

fn read(common_dir: &Path) -> Vec<(String, String)> {
    let mut bytes = fs::read(file(common_dir)).unwrap_or_default();
    bytes.truncate(MAX_BYTES);
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let split = |line: &str| {
        let (name, said) = line.split_once(BETWEEN).unwrap_or((NOBODY, line));
        (name.to_owned(), said.to_owned())
    };
    lines.map(split).collect()
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
        assert_eq!(trouble(dir.path()), None);
        note(dir.path(), &[("origin", Some("no\nway")), ("fork", Some("gone"))]).expect("it can be written");
        assert_eq!(trouble(dir.path()).as_deref(), Some("no way; gone"));
        note(dir.path(), &[("fork", None)]).expect("it can be written");
        assert_eq!(trouble(dir.path()).as_deref(), Some("no way"));
        made_good(dir.path(), "origin");
        assert_eq!(trouble(dir.path()), None);
        note(dir.path(), &[(NOBODY, Some("nobody knows who you are"))]).expect("it can be written");
        made_good(dir.path(), "origin");
        assert_eq!(trouble(dir.path()), None);
        made_good(dir.path(), "origin");
        assert!(!file(dir.path()).exists());
    }
}
