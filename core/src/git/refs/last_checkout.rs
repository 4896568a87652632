//! Finds where a branch was when it was last checked out, in the reflog of HEAD.
//!
//! A deleted branch has no reflog any more, but HEAD had to leave it before it could be deleted.

use std::fs;
use std::path::Path;

use crate::git::{CommitId, ObjectId, RefName};

/// A longer reflog is not read.
const MAX_REFLOG_BYTES: u64 = 8 << 20;

/// What `git switch` and `git checkout` write before the name of what they leave.
const LEAVING: &str = "checkout: moving from ";

/// Returns where `branch` was when HEAD last left it, in the work tree with this git directory.
///
/// Returns `None` if the reflog is missing or damaged, or its lines have expired.
pub fn last_checked_out_at(git_dir: &Path, branch: &RefName) -> Option<CommitId> {
    let path = git_dir.join("logs").join("HEAD");
    if fs::metadata(&path).ok()?.len() > MAX_REFLOG_BYTES {
        return None;
    }
    let short = branch.as_bytes().strip_prefix(b"refs/heads/")?;
    let leaving = [LEAVING.as_bytes(), short, b" to "].concat();
    let log = fs::read(path).ok()?;
    let mut lines = log.split(|byte| *byte == b'\n').rev();
    lines.find_map(|line| {
        let tab = memchr::memchr(b'\t', line)?;
        // The line says where HEAD was and where it went; what was left is the first.
        let left =
            line.split(|byte| *byte == b' ').next().filter(|_| line[tab + 1..].starts_with(&leaving))?;
        Some(ObjectId::from_hex(left)?.raw().into())
    })
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
            last_checked_out_at(folder.path(), &name).map(|commit| commit.to_string())
        };
        assert_eq!(left("topic"), Some(id('2')));
        assert_eq!(left("main"), Some(id('9')));
        assert_eq!(left("topic-2"), Some(id('3')));
        assert_eq!(left("top"), None);
        assert_eq!(
            last_checked_out_at(&folder.path().join("none"), &RefName::new("refs/heads/topic").unwrap()),
            None
        );
    }
}
