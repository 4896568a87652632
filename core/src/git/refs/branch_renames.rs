//! Finds branches that were renamed on this machine, in their reflogs.
//!
//! `git branch -m` moves the reflog along and adds a line to it. Reflogs are not shared: if others are to know of a
//! rename, somebody has to record it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::git::durable_write::reflog;
use crate::git::{CommitId, RefName};

/// What `git branch -m` writes before the two names.
const RENAMED: &str = "Branch: renamed ";

/// A branch that had another name once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRename {
    /// What it was called.
    pub old: RefName,
    /// What it is called now.
    pub new: RefName,
    /// Where it was while it had the old name.
    pub held: BTreeSet<CommitId>,
}

/// Finds out which of these branches had other names, however often each was renamed.
///
/// A reflog that is missing or damaged is skipped. Costs reading the reflogs.
pub fn branch_renames<'n>(common_dir: &Path, names: impl Iterator<Item = &'n RefName>) -> Vec<BranchRename> {
    let logs = common_dir.join("logs");
    names.flat_map(|name| renames_in(&name.below(&logs), name)).collect()
}

fn renames_in(path: &Path, new: &RefName) -> Vec<BranchRename> {
    // A branch with a longer one counts as one that was never renamed.
    let short = fs::metadata(path).is_ok_and(|file| file.len() <= reflog::MAX_BYTES);
    let Some(log) = short.then(|| fs::read(path).ok()).flatten() else { return Vec::new() };
    if memchr::memmem::find(&log, RENAMED.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut held = BTreeSet::new();
    let mut renames = Vec::new();
    for line in log.split(|byte| *byte == b'\n') {
        let Some(tab) = memchr::memchr(b'\t', line) else { continue };
        let (ids, message) = (&line[..tab], &line[tab + 1..]);
        held.extend(reflog::ids(ids));
        if let Some(old) = old_name(message).filter(|old| old != new) {
            renames.push(BranchRename { old, new: new.clone(), held: held.clone() });
        }
    }
    renames
}

fn old_name(message: &[u8]) -> Option<RefName> {
    let names = message.strip_prefix(RENAMED.as_bytes())?;
    let end = memchr::memmem::find(names, b" to ")?;
    RefName::from_bytes(&names[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";
    const NONE: &str = "0000000000000000000000000000000000000000";

    /// The old names of `refs/heads/new`, each with how many commits it was at under that name.
    fn check(log: &str, expected: &[(&str, usize)]) {
        let folder = tempfile::tempdir().unwrap();
        let heads = folder.path().join("logs/refs/heads");
        fs::create_dir_all(&heads).unwrap();
        fs::write(heads.join("new"), log).unwrap();
        let new = RefName::new("refs/heads/new").unwrap();
        let absent = RefName::new("refs/heads/absent").unwrap();
        let found = branch_renames(folder.path(), [&absent, &new].into_iter());
        let found: Vec<(String, usize)> =
            found.iter().map(|rename| (rename.old.to_string(), rename.held.len())).collect();
        let expected: Vec<(String, usize)> =
            expected.iter().map(|(name, count)| (format!("refs/heads/{name}"), *count)).collect();
        assert_eq!(found, expected, "{log}");
    }

    #[test]
    fn a_reflog_tells_the_names_that_a_branch_had() {
        let line = |old: &str, new: &str, message: &str| format!("{old} {new} A <a@b> 1 +0000\t{message}\n");
        let made = line(NONE, ONE, "branch: Created from main");
        let renamed = |old: &str, new: &str| {
            line(ONE, ONE, &format!("Branch: renamed refs/heads/{old} to refs/heads/{new}"))
        };
        check(&made, &[]);
        check("", &[]);
        check("no reflog\n\t\n", &[]);
        check(&[made.clone(), renamed("old", "new")].concat(), &[("old", 1)]);
        let on = line(ONE, TWO, "commit: more");
        check(
            &[made.clone(), renamed("old", "mid"), on.clone(), renamed("mid", "new"), on].concat(),
            &[("old", 1), ("mid", 2)],
        );
        check(&[made.clone(), renamed("new", "old"), renamed("old", "new")].concat(), &[("old", 1)]);
        check(
            &[made, line(ONE, ONE, "commit: Branch: renamed refs/heads/x to refs/heads/new")].concat(),
            &[],
        );
    }
}
