//! Finds where branches were when they were last checked out, in the reflog of HEAD.
//!
//! A deleted branch has no reflog any more, but HEAD had to leave it before it could be deleted.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::git::{CommitId, ObjectId, RefName};

/// A longer reflog is not read.
const MAX_REFLOG_BYTES: u64 = 8 << 20;

/// What `git switch` and `git checkout` write before the name of what they leave.
const LEAVING: &str = "checkout: moving from ";

/// Where each branch was when HEAD last left it, in one work tree.
#[derive(Clone, Debug, Default)]
pub struct LastCheckouts(HashMap<Box<[u8]>, CommitId>);

impl LastCheckouts {
    /// Reads the reflog of the work tree with this git directory.
    ///
    /// Has nothing if the reflog is missing or damaged, or its lines have expired.
    pub fn read(git_dir: &Path) -> Self {
        let path = git_dir.join("logs").join("HEAD");
        if fs::metadata(&path).map_or(u64::MAX, |found| found.len()) > MAX_REFLOG_BYTES {
            return Self::default();
        }
        let log = fs::read(path).unwrap_or_default();
        let left = log.split(|byte| *byte == b'\n').filter_map(|line| {
            let tab = memchr::memchr(b'\t', line)?;
            let names = line[tab + 1..].strip_prefix(LEAVING.as_bytes())?;
            // No name of a branch has a space.
            let name = &names[..memchr::memmem::find(names, b" to ")?];
            // The line says where HEAD was and where it went; what was left is the first.
            let left = ObjectId::from_hex(line.split(|byte| *byte == b' ').next()?)?;
            Some((name.into(), left.raw().into()))
        });
        // Of several lines about a branch, the last one counts.
        Self(left.collect())
    }

    /// Where this branch was.
    pub fn of(&self, branch: &RefName) -> Option<CommitId> {
        self.0.get(branch.as_bytes().strip_prefix(b"refs/heads/")?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_time_a_branch_was_left_counts() {
        let id = |digit: char| digit.to_string().repeat(40);
        let line = |old: char, new: char, message: &str| {
            format!("{} {} A <a@b> 1 +0000\t{message}\n", id(old), id(new))
        };
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        let log = [
            line('1', '9', "checkout: moving from topic to main"),
            line('9', '1', "checkout: moving from main to topic"),
            line('1', '2', "commit: more"),
            line('2', '9', "checkout: moving from topic to main"),
            line('9', '3', "commit: checkout: moving from topic to main"),
            line('3', '4', "checkout: moving from topic-2 to main"),
        ];
        fs::write(folder.path().join("logs/HEAD"), log.concat()).unwrap();
        let left = |name: &str| {
            let name = RefName::new(&format!("refs/heads/{name}")).unwrap();
            LastCheckouts::read(folder.path()).of(&name).map(|commit| commit.to_string())
        };
        assert_eq!(left("topic"), Some(id('2')));
        assert_eq!(left("main"), Some(id('9')));
        assert_eq!(left("topic-2"), Some(id('3')));
        assert_eq!(left("top"), None);
        let topic = RefName::new("refs/heads/topic").unwrap();
        assert_eq!(LastCheckouts::read(&folder.path().join("none")).of(&topic), None);
    }
}
