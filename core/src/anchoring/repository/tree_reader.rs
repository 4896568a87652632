//! Looks up paths in trees, reading each tree once.
//!
//! Comparing trees is `objects`' work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use gix::objs::TreeRefIter;
use gix::objs::tree::EntryRef;

use crate::git::{BlobId, TreeId};

use super::memo::{Memo, lock};
use super::objects::ObjectError;

/// Trees that are remembered at once.
const MAX_TREES: usize = 4_096;

/// Paths that are remembered at once.
const MAX_PATHS: usize = 200_000;

/// A tree that is asked more often than this is indexed by name; until then it is searched.
const MAX_SEARCHES: u32 = 8;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEntry {
    File(BlobId),
    /// A directory, a link or a submodule.
    Other,
}

/// What a name in a tree stands for.
#[derive(Clone, Copy)]
enum NamedEntry {
    Tree(TreeId),
    Entry(PathEntry),
}

/// Where the first part of a path leads.
enum First<'p> {
    /// Into this folder, with the rest of the path.
    Folder(TreeId, &'p [u8]),
    /// To its end.
    Found(Option<PathEntry>),
}

/// What is at some paths of one tree.
type Paths = HashMap<Vec<u8>, Option<PathEntry>>;

/// What is at some paths of some trees, and how many paths that are.
#[derive(Debug, Default)]
struct KnownPaths {
    paths: HashMap<TreeId, Paths>,
    count: usize,
}

/// Trees and what is known of their paths.
pub(crate) struct TreeReader {
    hash: gix::hash::Kind,
    listings: Memo<TreeId, Listing>,
    paths: Mutex<KnownPaths>,
}

impl TreeReader {
    pub fn new(hash: gix::hash::Kind) -> Self {
        Self { hash, listings: Memo::new(MAX_TREES), paths: Mutex::default() }
    }

    /// What is at `path`; `None` for nothing.
    ///
    /// The same folder in many trees is looked into once.
    pub fn entry(
        &self,
        tree: TreeId,
        path: &[u8],
        read: &dyn Fn(TreeId) -> Result<Vec<u8>, ObjectError>,
    ) -> Result<Option<PathEntry>, ObjectError> {
        if let Some(known) = lock(&self.paths).paths.get(&tree).and_then(|paths| paths.get(path)) {
            return Ok(*known);
        }
        let found = match self.first(tree, path, read)? {
            First::Folder(folder, rest) => self.entry(folder, rest, read)?,
            First::Found(found) => found,
        };
        let mut known = lock(&self.paths);
        if known.count >= MAX_PATHS {
            *known = KnownPaths::default();
        }
        known.count += 1;
        known.paths.entry(tree).or_default().insert(path.to_vec(), found);
        Ok(found)
    }

    /// What is at `path`, which is not asked for again: nothing is remembered but the trees.
    pub fn entry_once(
        &self,
        mut tree: TreeId,
        mut path: &[u8],
        read: &dyn Fn(TreeId) -> Result<Vec<u8>, ObjectError>,
    ) -> Result<Option<PathEntry>, ObjectError> {
        loop {
            match self.first(tree, path, read)? {
                First::Folder(folder, rest) => (tree, path) = (folder, rest),
                First::Found(found) => return Ok(found),
            }
        }
    }

    /// Goes along the first part of a path.
    fn first<'p>(
        &self,
        tree: TreeId,
        path: &'p [u8],
        read: &dyn Fn(TreeId) -> Result<Vec<u8>, ObjectError>,
    ) -> Result<First<'p>, ObjectError> {
        let (name, rest) = match memchr::memchr(b'/', path) {
            Some(at) => (&path[..at], Some(&path[at + 1..])),
            None => (path, None),
        };
        let listing = self.listings.get_or(tree, || Ok(Listing::new(read(tree)?)))?;
        Ok(match (listing.find(name, self.hash).map_err(|error| error.in_tree(tree))?, rest) {
            (Some(NamedEntry::Tree(folder)), Some(rest)) => First::Folder(folder, rest),
            (Some(NamedEntry::Tree(_)), None) => First::Found(Some(PathEntry::Other)),
            (Some(NamedEntry::Entry(entry)), None) => First::Found(Some(entry)),
            (Some(NamedEntry::Entry(_)), Some(_)) | (None, _) => First::Found(None),
        })
    }

    /// The folder `name` of a tree; `None` if it has none of that name.
    pub fn folder(
        &self,
        tree: TreeId,
        name: &[u8],
        read: &dyn Fn(TreeId) -> Result<Vec<u8>, ObjectError>,
    ) -> Result<Option<TreeId>, ObjectError> {
        let listing = self.listings.get_or(tree, || Ok(Listing::new(read(tree)?)))?;
        match listing.find(name, self.hash).map_err(|error| error.in_tree(tree))? {
            Some(NamedEntry::Tree(folder)) => Ok(Some(folder)),
            Some(NamedEntry::Entry(_)) | None => Ok(None),
        }
    }
}

/// One tree, as git has it.
struct Listing {
    data: Vec<u8>,
    asked: AtomicU32,
    by_name: OnceLock<HashMap<Box<[u8]>, NamedEntry>>,
}

/// A tree that makes no sense.
struct Damaged(String);

impl Damaged {
    fn in_tree(self, tree: TreeId) -> ObjectError {
        ObjectError { object_id: tree.raw(), reason: self.0 }
    }
}

impl Listing {
    fn new(data: Vec<u8>) -> Self {
        let (asked, by_name) = Default::default();
        Self { data, asked, by_name }
    }

    fn find(&self, name: &[u8], hash: gix::hash::Kind) -> Result<Option<NamedEntry>, Damaged> {
        if let Some(index) = self.by_name.get() {
            return Ok(index.get(name).copied());
        }
        let entries = || {
            TreeRefIter::from_bytes(&self.data, hash)
                .map(|entry| entry.map_err(|error| Damaged(error.to_string())))
        };
        if self.asked.fetch_add(1, Ordering::Relaxed) < MAX_SEARCHES {
            for entry in entries() {
                let entry = entry?;
                if &**entry.filename == name {
                    return Ok(Some(named(&entry)));
                }
            }
            return Ok(None);
        }
        let mut index = HashMap::new();
        for entry in entries() {
            let entry = entry?;
            // Of two entries with one name, which git never writes, the first counts here too.
            index.entry(Box::from(&**entry.filename)).or_insert_with(|| named(&entry));
        }
        let found = index.get(name).copied();
        self.by_name.get_or_init(|| index);
        Ok(found)
    }
}

fn named(entry: &EntryRef<'_>) -> NamedEntry {
    let id = entry.oid.to_owned();
    if entry.mode.is_tree() {
        NamedEntry::Tree(id.into())
    } else if entry.mode.is_blob() {
        NamedEntry::Entry(PathEntry::File(id.into()))
    } else {
        NamedEntry::Entry(PathEntry::Other)
    }
}
