//! The patches between trees, read from a repository, each once.
//!
//! What makes two patches the same is `patch_id`'s to say.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gix::objs::FindExt as _;

use super::ReviewError;
use super::lineages::Lineages;
use super::searched::Searched;
use super::touched::{Touched, Trees};
use super::worked::Worked;
use crate::edit::Text;
use crate::git::tree::{self, Change, Entry, Subtrees};
use crate::git::{CommitId, DeltaBases, RepoPath, TreeId, history};
use crate::git::{Patch, PatchId, PatchIds, Sides};

/// Larger files are compared as a whole.
pub(super) const MAX_COMPARED_BYTES: usize = 4 << 20;

/// Patches that are remembered at once; forgotten as a whole when there are more.
const MAX_REMEMBERED: usize = 16_384;

/// Commits and trees that are remembered as they were unpacked: each is asked for several times.
const OBJECT_CACHE_BYTES: usize = 32 << 20;

/// Reads patches, and remembers them; by content, so that what it remembers stays true.
pub(super) struct Patches {
    handle: gix::Repository,
    known: RefCell<HashMap<Trees, Rc<Difference>>>,
    touched: Touched,
    pub lineages: Lineages,
}

/// How two trees differ.
pub(super) struct Difference {
    pub changes: Vec<Change>,
    ids: OnceCell<Option<PatchIds>>,
}

impl Patches {
    /// Reads from what `handle` has, through caches of its own.
    pub fn new(handle: &gix::Repository) -> Self {
        let mut handle = handle.clone();
        handle.object_cache_size(OBJECT_CACHE_BYTES);
        handle.objects.set_pack_cache(|| Box::new(DeltaBases::default()));
        let touched = Touched::new(handle.clone());
        Self { handle, known: RefCell::default(), touched, lineages: Lineages::default() }
    }

    pub fn handle(&self) -> &gix::Repository {
        &self.handle
    }

    /// What `commit` changed, compared with its first parent; `None` where history was cut off behind it.
    pub fn of_commit(&self, commit: CommitId) -> Result<Option<Rc<Difference>>, ReviewError> {
        match self.touched.trees(commit)? {
            Some((before, after)) => self.between_trees(before, after).map(Some),
            None => Ok(None),
        }
    }

    /// What leads from one commit to another, all together.
    pub fn between(&self, from: CommitId, to: CommitId) -> Result<Rc<Difference>, ReviewError> {
        let from = history::commit(&self.handle, from)?.tree;
        self.between_trees(Some(from), history::commit(&self.handle, to)?.tree)
    }

    fn between_trees(&self, old: Option<TreeId>, new: TreeId) -> Result<Rc<Difference>, ReviewError> {
        if let Some(known) = self.known.borrow().get(&(old, new)) {
            return Ok(Rc::clone(known));
        }
        let mut changes = tree::diff(&self.handle, old, Some(new), Subtrees::Omit)?.changes;
        changes.sort_by(|one, other| one.path().cmp(other.path()));
        let found = Rc::new(Difference { changes, ids: OnceCell::new() });
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert((old, new), Rc::clone(&found));
        Ok(found)
    }

    /// Finds the oldest of `among` that does the same as `wanted`; one that does nothing is like none.
    ///
    /// Most commits are passed over after a look at one path, and files are read only of those that touch the same.
    pub fn find_alike(&self, wanted: &Difference, among: &Searched) -> Result<Option<CommitId>, ReviewError> {
        let Some(first) = wanted.changes.first() else { return Ok(None) };
        for commit in among.touching(&self.touched, first.path())?.iter().copied() {
            if let Some(patch) = self.of_commit(commit)?
                && wanted.touches_the_same(&patch)
                && self.are_alike(wanted, &patch)?
            {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    /// Whether two patches of the same files do the same, whatever the lines beside theirs became.
    ///
    /// A patch's id takes in some of those lines, and so is another one where upstream changed them.
    fn are_alike(&self, one: &Difference, other: &Difference) -> Result<bool, ReviewError> {
        match (self.ids(one)?, self.ids(other)?) {
            (Some(one), Some(other)) if one.id == other.id => return Ok(true),
            (Some(one), Some(other)) if one.bare == other.bare => {}
            _ => return Ok(false),
        }
        for (one, other) in one.changes.iter().zip(&other.changes) {
            if self.compare_file(Some(&Worked::from(one)), Some(&Worked::from(other)))?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The id of a patch; `None` for one that does nothing.
    pub fn id(&self, difference: &Difference) -> Result<Option<PatchId>, ReviewError> {
        Ok(self.ids(difference)?.map(|ids| ids.id))
    }

    fn ids(&self, difference: &Difference) -> Result<Option<PatchIds>, ReviewError> {
        if let Some(ids) = difference.ids.get() {
            return Ok(*ids);
        }
        let mut patch = Patch::default();
        for change in &difference.changes {
            let (before, after) = (change.before(), change.after());
            let modes = (mode(before), mode(after));
            match (self.text(before)?, self.text(after)?) {
                (Lines::Text(old), Lines::Text(new)) => {
                    patch.add(change.path(), modes, Sides::Lines(Some(&old), Some(&new)));
                }
                (Lines::Absent, Lines::Text(new)) => {
                    patch.add(change.path(), modes, Sides::Lines(None, Some(&new)));
                }
                (Lines::Text(old), Lines::Absent) => {
                    patch.add(change.path(), modes, Sides::Lines(Some(&old), None));
                }
                _ => {
                    let id = |entry: Option<Entry>| entry.map(|entry| entry.id);
                    let (before, after) = (id(before), id(after));
                    let bytes = |id: &Option<crate::git::ObjectId>| {
                        id.map(|id| id.as_bytes().to_vec()).unwrap_or_default()
                    };
                    patch.add(change.path(), modes, Sides::Opaque(&bytes(&before), &bytes(&after)));
                }
            }
        }
        Ok(*difference.ids.get_or_init(|| patch.ids()))
    }

    /// What stands in a file, as far as it has lines.
    pub fn text(&self, entry: Option<Entry>) -> Result<Lines, ReviewError> {
        let Some(entry) = entry else { return Ok(Lines::Absent) };
        if !entry.mode.is_blob_or_symlink() {
            return Ok(Lines::Opaque);
        }
        let failed = |source| ReviewError::ReadFile { blob_id: entry.id, source };
        let header = match self.handle.find_header(entry.id.raw()) {
            // As in a partial clone: what it is called is all that is known of it.
            Err(source) if source.is_not_found() => return Ok(Lines::Opaque),
            header => header.map_err(failed)?,
        };
        if header.size() > MAX_COMPARED_BYTES as u64 {
            return Ok(Lines::Opaque);
        }
        let mut bytes = Vec::new();
        self.handle.objects.find_blob(&entry.id.raw(), &mut bytes).map_err(failed)?;
        if is_binary(&bytes) { Ok(Lines::Opaque) } else { Ok(Lines::Text(Text::new(bytes))) }
    }
}

/// What stands in a file.
pub(super) enum Lines {
    /// There is no file.
    Absent,
    /// Lines.
    Text(Text),
    /// Something that is compared as a whole, or is not here.
    Opaque,
}

impl Difference {
    fn touches_the_same(&self, other: &Self) -> bool {
        let paths = |difference: &Self| -> Vec<RepoPath> {
            difference.changes.iter().map(|change| change.path().clone()).collect()
        };
        self.changes.len() == other.changes.len() && paths(self) == paths(other)
    }
}

fn mode(entry: Option<Entry>) -> u16 {
    entry.map_or(0, |entry| entry.mode.value())
}

/// As git tells: a NUL near the beginning.
fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(8_000)]).is_some()
}
