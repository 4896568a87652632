//! Lists trees and compares them.
//!
//! Trees come from anywhere, so every walk is bounded and keeps its state on the heap, not on the stack (`walk`).
//! Renames are not looked for: that needs the content, and is `anchoring`'s work.

use std::fmt;

use gix::objs::tree::EntryMode;

use super::walk::{Cursor, Peeked, TreeWalk};
use crate::git::error::ReadError;
use crate::git::{ObjectId, RepoPath, TreeId};

/// How much of a tree is read before the rest is reported as damage.
///
/// A few small trees, each listed many times in the next, can be made to hold any number of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// Trees inside one another; deeper ones are not entered. Git has the same limit, as `core.maxTreeDepth`.
    pub depth: usize,
    /// Entries that are looked at; the walk stops there.
    pub entries: usize,
    /// Bytes of all paths that are reported, together; the walk stops there.
    pub path_bytes: usize,
}

impl TreeLimits {
    /// More than any repository that people work in, and less than would exhaust a machine.
    pub const GENEROUS: Self = Self { depth: 2048, entries: 4 << 20, path_bytes: 256 << 20 };
}

/// An entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// What it is.
    pub mode: EntryMode,
    /// Which object it is.
    pub id: ObjectId,
}

/// How one path differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeChange {
    /// Only the new tree has it.
    Added {
        /// Where.
        path: RepoPath,
        /// What.
        entry: TreeEntry,
    },
    /// Only the old tree has it.
    Removed {
        /// Where.
        path: RepoPath,
        /// What.
        entry: TreeEntry,
    },
    /// Both have it, with another mode or content.
    Modified {
        /// Where.
        path: RepoPath,
        /// What it was.
        old: TreeEntry,
        /// What it is.
        new: TreeEntry,
    },
}

impl TreeChange {
    /// Where the change is.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Added { path, .. } | Self::Removed { path, .. } | Self::Modified { path, .. } => path,
        }
    }

    /// What the old tree has there.
    pub fn before(&self) -> Option<TreeEntry> {
        match *self {
            Self::Added { .. } => None,
            Self::Removed { entry, .. } | Self::Modified { old: entry, .. } => Some(entry),
        }
    }

    /// What the new tree has there.
    pub fn after(&self) -> Option<TreeEntry> {
        match *self {
            Self::Removed { .. } => None,
            Self::Added { entry, .. } | Self::Modified { new: entry, .. } => Some(entry),
        }
    }
}

/// Whether trees inside a tree are entries of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subtrees {
    /// They are listed, before what is in them.
    Report,
    /// Only what is in them is listed.
    Omit,
}

/// The changes between two trees.
#[derive(Debug, Default)]
pub struct TreeDiff {
    /// In the order of the trees.
    pub changes: Vec<TreeChange>,
    /// What could not be compared; on the old side it counts as empty.
    pub damage: Vec<TreeDamage>,
    /// Whether a mode began with zeros, which git reads and no longer writes.
    pub padded_modes: bool,
}

/// Everything in a tree.
#[derive(Debug, Default)]
pub struct TreeListing {
    /// In the order of the tree, without the trees in it.
    pub entries: Vec<(RepoPath, TreeEntry)>,
    /// What could not be listed.
    pub damage: Vec<TreeDamage>,
    /// Whether a mode began with zeros, which git reads and no longer writes.
    pub padded_modes: bool,
}

/// A part of a tree that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeDamage {
    /// A tree is not in this repository, or cannot be decoded.
    Unreadable {
        /// Where it belongs.
        path: RepoPath,
        /// Which tree.
        tree: TreeId,
    },
    /// The rest of a tree cannot be decoded.
    Truncated {
        /// Which tree.
        tree: TreeId,
    },
    /// A name that no checkout could have: empty, or with a slash in it.
    BadName {
        /// Which tree has it.
        tree: TreeId,
    },
    /// Names that are not in git's order, or one of them twice: a search for a name may miss it.
    Unsorted {
        /// The first entry in the wrong place.
        path: RepoPath,
    },
    /// More than [`TreeLimits::depth`] trees in one another.
    TooDeep {
        /// The tree that was not entered.
        tree: TreeId,
    },
    /// More than [`TreeLimits`] allows; nothing after that was seen.
    TooMany,
}

impl fmt::Display for TreeDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, tree } => {
                write!(f, "the tree {tree} at {:?} cannot be read", path.to_string())
            }
            Self::Truncated { tree } => write!(f, "the tree {tree} is cut off"),
            Self::BadName { tree } => write!(f, "the tree {tree} has a name that is empty or has a slash"),
            Self::Unsorted { path } => write!(f, "{:?} is not in git's order, or twice", path.to_string()),
            Self::TooDeep { tree } => write!(f, "the tree {tree} is inside too many others"),
            Self::TooMany => write!(f, "it has too many entries"),
        }
    }
}

impl TreeDamage {
    /// The tree, if it could not be read and may still be there.
    pub fn unreadable(&self) -> Option<ObjectId> {
        match self {
            Self::Unreadable { tree, .. } => Some(tree.raw().into()),
            _ => None,
        }
    }
}

/// Compares two trees; `None` means the empty tree.
///
/// Fails if one of the two is not there. Costs the reading of every tree that differs.
pub fn diff(
    handle: &gix::Repository,
    old: Option<TreeId>,
    new: Option<TreeId>,
    subtrees: Subtrees,
) -> Result<TreeDiff, ReadError> {
    diff_within(handle, old, new, subtrees, TreeLimits::GENEROUS)
}

/// As [`diff`], with other limits.
pub fn diff_within(
    handle: &gix::Repository,
    old: Option<TreeId>,
    new: Option<TreeId>,
    subtrees: Subtrees,
    limits: TreeLimits,
) -> Result<TreeDiff, ReadError> {
    if old == new {
        return Ok(TreeDiff::default());
    }
    let walk =
        TreeWalk::new(handle, Cursor::root(handle, old)?, Cursor::root(handle, new)?, subtrees, limits);
    Ok(walk.run())
}

/// Lists what is in a tree, as [`diff`] against the empty one.
pub fn list(handle: &gix::Repository, tree: TreeId) -> Result<TreeListing, ReadError> {
    let TreeDiff { changes, mut damage, padded_modes } = diff(handle, None, Some(tree), Subtrees::Omit)?;
    let added = changes.into_iter().filter_map(|change| match change {
        TreeChange::Added { path, entry } => Some((path, entry)),
        TreeChange::Removed { .. } | TreeChange::Modified { .. } => None,
    });
    let entries: Vec<(RepoPath, TreeEntry)> = added.collect();
    // Git sorts a tree as if its name ended in a slash, so that whole paths ascend too.
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        damage.push(TreeDamage::Unsorted { path: pair[1].0.clone() });
    }
    Ok(TreeListing { entries, damage, padded_modes })
}

/// Returns what `tree` has at `path`, which may be a tree.
pub fn entry_at(
    handle: &gix::Repository,
    tree: TreeId,
    path: &RepoPath,
) -> Result<Option<TreeEntry>, ReadError> {
    let mut parts = path.as_bytes().split(|byte| *byte == b'/').peekable();
    let mut tree = tree;
    while let Some(part) = parts.next() {
        let mut cursor = Cursor::root(handle, Some(tree))?;
        let entry = loop {
            match cursor.peek() {
                Peeked::End | Peeked::Garbled => return Ok(None),
                Peeked::Entry(next) if next.name == part => break next.entry,
                Peeked::Entry(_) => cursor.advance(),
            }
        };
        match parts.peek() {
            None => return Ok(Some(entry)),
            Some(_) if entry.mode.is_tree() => tree = TreeId::from(entry.id.raw()),
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}
