//! A tree of which only some files are known to be as they are: what is on disk, as far as it was looked at.
//!
//! Looking at every file of a work tree costs much, and most comments are found in their own file. So they are located
//! in a tree with the few files that matter first; if the engine looked at anything else in it, that answer is not used.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::git::{RepoPath, TreeId};

/// A tree of which only some files are known, and whether others were looked at.
#[derive(Debug)]
pub struct PartialTree {
    tree: TreeId,
    known: HashSet<RepoPath>,
    left: AtomicBool,
}

impl PartialTree {
    /// A tree that has these files as they are; of the others it has an older version, or none.
    pub fn new(tree: TreeId, known: HashSet<RepoPath>) -> Self {
        Self { tree, known, left: AtomicBool::new(false) }
    }

    /// Whether anything but the known files was looked at since this was made.
    pub fn was_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Notes a look at one path of a tree.
    pub fn look_at(&self, tree: TreeId, path: &[u8]) {
        if tree == self.tree && !RepoPath::new(path).is_some_and(|path| self.known.contains(&path)) {
            self.leave();
        }
    }

    /// Notes a look at all of a tree.
    pub fn look_at_all(&self, tree: TreeId) {
        if tree == self.tree {
            self.leave();
        }
    }

    fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }
}
