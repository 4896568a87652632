//! Whether a commit touches a path, without comparing whole trees.
//!
//! The commits of a long history share nearly all of their trees, and each tree is read once.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::git::tree::{self, TreeEntry};
use crate::git::{CommitId, ReadError, RepoPath, TreeId, history};
use crate::review::ReviewError;

/// The most entries; if there are more, all are forgotten.
const MAX_REMEMBERED: usize = 200_000;

/// The trees of a commit's parent and of the commit; the first commit has no parent.
pub(in crate::review) type CommitTrees = (Option<TreeId>, TreeId);

/// A tree, and a path in it.
type PathInTree = (TreeId, Vec<u8>);

/// Reads commits and trees, and remembers them.
pub(in crate::review) struct Touched {
    handle: gix::Repository,
    commits: RefCell<HashMap<CommitId, Option<CommitTrees>>>,
    entries: RefCell<HashMap<PathInTree, Option<TreeEntry>>>,
}

impl Touched {
    pub fn new(handle: gix::Repository) -> Self {
        Self { handle, commits: RefCell::default(), entries: RefCell::default() }
    }

    /// The trees of a commit and of its first parent; `None` if history is cut off there.
    pub fn trees(&self, commit: CommitId) -> Result<Option<CommitTrees>, ReviewError> {
        let known = self.commits.borrow().get(&commit).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let info = history::commit(&self.handle, commit)?;
        let trees = match info.parents.first().map(|parent| history::commit(&self.handle, *parent)) {
            None => Some((None, info.tree)),
            Some(Err(ReadError::Missing { .. })) => None,
            Some(parent) => Some((Some(parent?.tree), info.tree)),
        };
        remember(&self.commits, commit, trees);
        Ok(trees)
    }

    /// Whether a commit changes `path` against its first parent; `false` if unknown.
    pub fn touches(&self, commit: CommitId, path: &RepoPath) -> Result<bool, ReviewError> {
        let Some((before, after)) = self.trees(commit)? else { return Ok(false) };
        let before = match before {
            Some(before) => self.entry(before, path.as_bytes())?,
            None => None,
        };
        Ok(before != self.entry(after, path.as_bytes())?)
    }

    fn entry(&self, tree: TreeId, path: &[u8]) -> Result<Option<TreeEntry>, ReviewError> {
        let mut passed = Vec::new();
        let (mut tree, mut rest) = (tree, path);
        let found = loop {
            let key = (tree, rest.to_vec());
            if let Some(known) = self.entries.borrow().get(&key) {
                break *known;
            }
            passed.push(key);
            let slash = memchr::memchr(b'/', rest);
            let name = RepoPath::new(&rest[..slash.unwrap_or(rest.len())]);
            let name = name.expect("no part of a path is empty or has a NUL");
            let entry = tree::entry_at(&self.handle, tree, &name)?;
            match (entry, slash) {
                (Some(entry), Some(slash)) if entry.mode.is_tree() => {
                    (tree, rest) = (entry.id.raw().into(), &rest[slash + 1..]);
                }
                (entry, slash) => break entry.filter(|_| slash.is_none()),
            }
        };
        for key in passed {
            remember(&self.entries, key, found);
        }
        Ok(found)
    }
}

fn remember<K: std::hash::Hash + Eq, V>(memory: &RefCell<HashMap<K, V>>, key: K, value: V) {
    let mut memory = memory.borrow_mut();
    if memory.len() >= MAX_REMEMBERED {
        memory.clear();
    }
    memory.insert(key, value);
}
