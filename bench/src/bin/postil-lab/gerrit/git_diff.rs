//! Where git's own diff says that lines are: the yardstick, computed by git itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use postil_core::git::{BlobId, CommitId};

use crate::stored::LabError;

/// What `git diff` can be told to compare by.
pub const ALGORITHMS: [&str; 2] = ["myers", "histogram"];

/// Two commits that git compares.
pub struct GitDiff {
    mirror: PathBuf,
    old: CommitId,
    new: CommitId,
    renames: Option<HashMap<String, String>>,
    hunks: HashMap<(BlobId, BlobId, &'static str), Vec<GitHunk>>,
}

/// Lines that were replaced, as a diff without context writes them: first and count, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GitHunk {
    pub before: (u32, u32),
    pub after: (u32, u32),
}

impl GitDiff {
    /// Begins a comparison; nothing is computed yet.
    pub fn new(mirror: &Path, old: CommitId, new: CommitId) -> Self {
        Self { mirror: mirror.to_owned(), old, new, renames: None, hunks: HashMap::new() }
    }

    /// The new name of a file that is not there any more, by `git diff -M`.
    pub fn renamed(&mut self, path: &str) -> Result<Option<String>, LabError> {
        if self.renames.is_none() {
            let (old, new) = (self.old.to_string(), self.new.to_string());
            let words = ["diff", "-M", "--diff-filter=R", "--name-status", "-z", &old, &new];
            let output = self.git(&words)?;
            let mut fields = output.split('\0');
            let mut renames = HashMap::new();
            while let (Some(_), Some(from), Some(to)) = (fields.next(), fields.next(), fields.next()) {
                renames.insert(from.to_owned(), to.to_owned());
            }
            self.renames = Some(renames);
        }
        Ok(self.renames.as_ref().and_then(|renames| renames.get(path).cloned()))
    }

    /// The hunks between two versions of a file.
    pub fn hunks(
        &mut self,
        old: BlobId,
        new: BlobId,
        algorithm: &'static str,
    ) -> Result<&[GitHunk], LabError> {
        if old != new && !self.hunks.contains_key(&(old, new, algorithm)) {
            let by = format!("--diff-algorithm={algorithm}");
            let words = ["diff", "-U0", "--text", "--no-color", "--no-ext-diff", "--no-textconv", &by];
            let (from, to) = (old.to_string(), new.to_string());
            let output = self.git(&[&words[..], &[from.as_str(), to.as_str()]].concat())?;
            let hunks = output.lines().filter_map(hunk).collect();
            self.hunks.insert((old, new, algorithm), hunks);
        }
        Ok(self.hunks.get(&(old, new, algorithm)).map(Vec::as_slice).unwrap_or_default())
    }

    fn git(&self, words: &[&str]) -> Result<String, LabError> {
        let output = Command::new("git")
            .arg("--git-dir")
            .arg(&self.mirror)
            .args(words)
            // Nobody's settings change the yardstick.
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Where lines are now, if the diff kept all of them together.
pub fn kept(hunks: &[GitHunk], first: u32, last: u32) -> Option<u32> {
    let mut moved = 0_i64;
    for GitHunk { before: (at, count), after: (_, added) } in hunks {
        // A hunk that deletes nothing stands behind the line it names.
        let (begin, end) = if *count == 0 { (at + 1, at + 1) } else { (*at, at + count) };
        if end <= first {
            moved += i64::from(*added) - i64::from(*count);
        } else if begin <= last {
            return None;
        }
    }
    u32::try_from(i64::from(first) + moved).ok()
}

/// The line of the new text beside which a line of the old one stood.
pub fn beside(hunks: &[GitHunk], line: u32) -> u32 {
    let mut moved = 0_i64;
    for GitHunk { before: (at, count), after: (to, added) } in hunks {
        if (*at..at + count).contains(&line) {
            return (*to).max(1);
        }
        if at + count <= line {
            moved += i64::from(*added) - i64::from(*count);
        }
    }
    u32::try_from(i64::from(line) + moved).unwrap_or(1).max(1)
}

fn hunk(line: &str) -> Option<GitHunk> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let pair = |word: &str| {
        let (at, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((at.parse().ok()?, count.parse().ok()?))
    };
    Some(GitHunk { before: pair(words.next()?)?, after: pair(words.next()?.strip_prefix('+')?)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_kept_if_no_hunk_touches_it() {
        let hunks: Vec<GitHunk> =
            ["@@ -2,0 +3,2 @@ fn a", "@@ -5 +7,0 @@", "+@@ -1 +1 @@", "@@ -9,2 +10,3 @@"]
                .into_iter()
                .filter_map(hunk)
                .collect();
        assert_eq!(hunks.len(), 3);
        let of = |first, last| kept(&hunks, first, last);
        assert_eq!([of(1, 1), of(2, 2), of(3, 3), of(4, 4)], [Some(1), Some(2), Some(5), Some(6)]);
        assert_eq!([of(5, 5), of(6, 6), of(9, 9), of(11, 11)], [None, Some(7), None, Some(13)]);
        assert_eq!([of(1, 2), of(2, 3), of(4, 6), of(6, 8)], [Some(1), None, None, Some(7)]);
        assert_eq!([beside(&hunks, 3), beside(&hunks, 5), beside(&hunks, 10)], [5, 7, 10]);
    }
}
