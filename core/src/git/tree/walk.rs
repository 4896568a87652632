//! The walk over two trees at once, entry by entry.
//!
//! What is reported, and in which form, is in `diff`.

use std::cmp::Ordering;

use gix::objs::{Exists as _, FindExt as _, TreeRefIter};

use super::diff::{Subtrees, TreeChange, TreeDamage, TreeDiff, TreeEntry, TreeLimits};
use crate::git::error::ReadError;
use crate::git::{ObjectId, RepoPath, TreeId};

/// The state of a comparison.
pub(super) struct TreeWalk<'a> {
    handle: &'a gix::Repository,
    subtrees: Subtrees,
    /// What is left of them, except for the depth.
    limits: TreeLimits,
    path: Vec<u8>,
    stack: Vec<TreePair>,
    diff: TreeDiff,
}

impl<'a> TreeWalk<'a> {
    pub(in crate::git) fn new(
        handle: &'a gix::Repository,
        old: Cursor,
        new: Cursor,
        subtrees: Subtrees,
        limits: TreeLimits,
    ) -> Self {
        let stack = vec![TreePair { old, new, path_len: 0 }];
        Self { handle, subtrees, limits, path: Vec::new(), stack, diff: TreeDiff::default() }
    }

    pub(super) fn run(mut self) -> TreeDiff {
        while self.step() {}
        self.diff
    }

    /// Looks at the next name of the innermost pair of trees; `false` when there is none left.
    fn step(&mut self) -> bool {
        let Some(frame) = self.stack.last_mut() else { return false };
        self.path.truncate(frame.path_len);
        let (old, new) = match (frame.old.peek(), frame.new.peek()) {
            (Peeked::Garbled, _) => {
                self.diff.damage.extend(frame.old.give_up());
                return true;
            }
            (_, Peeked::Garbled) => {
                self.diff.damage.extend(frame.new.give_up());
                return true;
            }
            (Peeked::Entry(old), Peeked::Entry(new)) => {
                let is_tree = |peeked: &Next<'_>| peeked.entry.mode.is_tree();
                match gix::objs::tree::name_order(old.name, is_tree(&old), new.name, is_tree(&new)) {
                    Ordering::Less => (Some(old), None),
                    Ordering::Greater => (None, Some(new)),
                    Ordering::Equal => (Some(old), Some(new)),
                }
            }
            (Peeked::Entry(old), Peeked::End) => (Some(old), None),
            (Peeked::End, Peeked::Entry(new)) => (None, Some(new)),
            (Peeked::End, Peeked::End) => {
                self.stack.pop();
                return true;
            }
        };
        let Some(entries_left) = self.limits.entries.checked_sub(1) else {
            self.diff.damage.push(TreeDamage::TooMany);
            return false;
        };
        self.limits.entries = entries_left;
        let name = old.or(new).map_or(&b""[..], |next| next.name);
        let bad_name = name.is_empty() || name.contains(&b'/');
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        self.diff.padded_modes |= [old, new].iter().flatten().any(|next| next.is_padded);
        let lengths = [old, new].map(|next| next.map_or(0, |next| next.length));
        let (old, new) = (old.map(|next| next.entry), new.map(|next| next.entry));
        let tree = if new.is_some() { frame.new.tree } else { frame.old.tree };
        frame.old.at += lengths[0];
        frame.new.at += lengths[1];
        match (bad_name, tree) {
            (true, Some(tree)) => self.diff.damage.push(TreeDamage::BadName { tree }),
            _ if old != new => return self.differ(old, new),
            _ => {}
        }
        true
    }

    /// Reports a difference and goes into it; `false` when there are too many.
    fn differ(&mut self, old: Option<TreeEntry>, new: Option<TreeEntry>) -> bool {
        let is_tree = old.or(new).is_some_and(|entry| entry.mode.is_tree());
        if !is_tree || self.subtrees == Subtrees::Report {
            let Some(bytes_left) = self.limits.path_bytes.checked_sub(self.path.len()) else {
                self.diff.damage.push(TreeDamage::TooMany);
                return false;
            };
            self.limits.path_bytes = bytes_left;
            let path = self.repo_path();
            self.diff.changes.extend(match (old, new) {
                (Some(old), Some(new)) => Some(TreeChange::Modified { path, old, new }),
                (Some(entry), None) => Some(TreeChange::Removed { path, entry }),
                (None, Some(entry)) => Some(TreeChange::Added { path, entry }),
                (None, None) => None,
            });
        }
        let same_content = old.map(|entry| entry.id) == new.map(|entry| entry.id);
        if is_tree && !same_content {
            self.enter(old, new);
        }
        true
    }

    fn repo_path(&self) -> RepoPath {
        RepoPath::new(self.path.clone())
            .expect("no part is empty or has a slash, and no name in a tree has a NUL")
    }

    fn enter(&mut self, old: Option<TreeEntry>, new: Option<TreeEntry>) {
        if self.stack.len() >= self.limits.depth {
            let tree = old.or(new).map(|entry| TreeId::from(entry.id.raw()));
            self.diff.damage.extend(tree.map(|tree| TreeDamage::TooDeep { tree }));
            return;
        }
        let frame = TreePair { old: self.open(old), new: self.open(new), path_len: self.path.len() };
        self.stack.push(frame);
    }

    fn open(&mut self, entry: Option<TreeEntry>) -> Cursor {
        let Some(entry) = entry else { return Cursor::empty(self.handle.object_hash()) };
        let tree = TreeId::from(entry.id.raw());
        Cursor::of(self.handle, tree).unwrap_or_else(|_| {
            let path =
                RepoPath::new(self.path.clone()).expect("every part was checked for slashes and emptiness");
            self.diff.damage.push(TreeDamage::Unreadable { path, tree });
            Cursor::empty(self.handle.object_hash())
        })
    }
}

/// Two trees at the same path, and how far each was read.
struct TreePair {
    old: Cursor,
    new: Cursor,
    /// How much of the path is this directory's.
    path_len: usize,
}

/// A place in the bytes of one tree.
pub(super) struct Cursor {
    tree: Option<TreeId>,
    bytes: Vec<u8>,
    at: usize,
    hash: gix::hash::Kind,
}

pub(super) enum Peeked<'a> {
    Entry(Next<'a>),
    Garbled,
    End,
}

/// The entry that a cursor reads next.
#[derive(Clone, Copy)]
pub(super) struct Next<'a> {
    pub(super) name: &'a [u8],
    pub(super) entry: TreeEntry,
    /// Whether its mode begins with a zero.
    is_padded: bool,
    /// How many bytes of the tree it takes.
    length: usize,
}

impl Cursor {
    fn empty(hash: gix::hash::Kind) -> Self {
        Self { tree: None, bytes: Vec::new(), at: 0, hash }
    }

    pub(super) fn root(handle: &gix::Repository, tree: Option<TreeId>) -> Result<Self, ReadError> {
        tree.map_or_else(|| Ok(Self::empty(handle.object_hash())), |tree| Self::of(handle, tree))
    }

    fn of(handle: &gix::Repository, tree: TreeId) -> Result<Self, ReadError> {
        let id = ObjectId::from(tree.raw());
        let mut bytes = Vec::new();
        let hash = handle.object_hash();
        match handle.objects.find_tree_iter(&tree.raw(), &mut bytes) {
            Ok(_) => Ok(Self { tree: Some(tree), bytes, at: 0, hash }),
            // Git knows the empty tree without having it.
            Err(_) if tree.raw() == hash.empty_tree() => Ok(Self::empty(hash)),
            Err(_) if !handle.objects.exists(&tree.raw()) => Err(ReadError::Missing { id }),
            Err(source) => Err(ReadError::Damaged { id, source }),
        }
    }

    pub(super) fn peek(&self) -> Peeked<'_> {
        let rest = &self.bytes[self.at..];
        let mut iter = TreeRefIter::from_bytes(rest, self.hash);
        match iter.next() {
            None => Peeked::End,
            Some(Err(_)) => Peeked::Garbled,
            Some(Ok(found)) => {
                let entry = TreeEntry { mode: found.mode, id: found.oid.to_owned().into() };
                let length = iter.offset_to_next_entry(rest);
                let is_padded = rest.first() == Some(&b'0');
                Peeked::Entry(Next { name: found.filename, entry, is_padded, length })
            }
        }
    }

    pub(super) fn advance(&mut self) {
        if let Peeked::Entry(next) = self.peek() {
            self.at += next.length;
        }
    }

    /// Goes to the end of a tree that cannot be read on.
    fn give_up(&mut self) -> Option<TreeDamage> {
        self.at = self.bytes.len();
        self.tree.map(|tree| TreeDamage::Truncated { tree })
    }
}
