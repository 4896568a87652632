//! The patches between trees, read from a repository, each once.
//!
//! When two patches are the same is decided in `git::patch_id`.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gix::objs::FindExt as _;

use super::work_files::WorkFile;
use crate::edit::Text;
use crate::git::tree::{self, Subtrees, TreeChange, TreeEntry};
use crate::git::{CommitId, DeltaBases, RepoPath, TreeId, history};
use crate::git::{FileSides, PatchHasher, PatchId, PatchIds};
use crate::review::ReviewError;
use crate::review::following::lineages::Lineages;
use crate::review::following::searched_commits::Searched;
use crate::review::following::touched_paths::{CommitTrees, Touched};

/// Larger files are compared as a whole.
pub(super) const MAX_COMPARED_BYTES: usize = 4 << 20;

/// The most patches that are remembered; if there are more, all are forgotten.
const MAX_REMEMBERED: usize = 16_384;

/// The most bytes of unpacked commits and trees that are remembered: each is needed several times.
const OBJECT_CACHE_BYTES: usize = 32 << 20;

/// Reads patches, and remembers them by content, so that the cache is never stale.
pub(in crate::review) struct Patches {
    handle: gix::Repository,
    known: RefCell<HashMap<CommitTrees, Rc<Difference>>>,
    touched: Touched,
    pub lineages: Lineages,
}

/// How two trees differ.
pub(in crate::review) struct Difference {
    pub changes: Vec<TreeChange>,
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

    /// What `commit` changed, compared with its first parent; `None` if history is cut off there.
    pub fn of_commit(&self, commit: CommitId) -> Result<Option<Rc<Difference>>, ReviewError> {
        match self.touched.trees(commit)? {
            Some((before, after)) => self.between_trees(before, after).map(Some),
            None => Ok(None),
        }
    }

    /// The changes from one commit to another, as one patch.
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

    /// Finds the oldest of `among` with the same patch as `wanted`; an empty patch matches nothing.
    ///
    /// Most commits are skipped after a look at one path; files are read only for commits that touch the same paths.
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

    /// Whether two patches of the same files do the same, without the lines around the changes.
    ///
    /// A patch id includes some of those lines, and so differs if upstream changed them.
    fn are_alike(&self, one: &Difference, other: &Difference) -> Result<bool, ReviewError> {
        match (self.ids(one)?, self.ids(other)?) {
            (Some(one), Some(other)) if one.id == other.id => return Ok(true),
            (Some(one), Some(other)) if one.bare == other.bare => {}
            _ => return Ok(false),
        }
        for (one, other) in one.changes.iter().zip(&other.changes) {
            if self.compare_file(Some(&WorkFile::from(one)), Some(&WorkFile::from(other)))?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The id of a patch; `None` for an empty one.
    pub fn id(&self, difference: &Difference) -> Result<Option<PatchId>, ReviewError> {
        Ok(self.ids(difference)?.map(|ids| ids.id))
    }

    fn ids(&self, difference: &Difference) -> Result<Option<PatchIds>, ReviewError> {
        if let Some(ids) = difference.ids.get() {
            return Ok(*ids);
        }
        let mut patch = PatchHasher::default();
        for change in &difference.changes {
            let (before, after) = (change.before(), change.after());
            let modes = (mode(before), mode(after));
            match (self.text(before)?, self.text(after)?) {
                (ComparableText::Text(old), ComparableText::Text(new)) => {
                    patch.add(change.path(), modes, FileSides::Lines(Some(&old), Some(&new)));
                }
                (ComparableText::Absent, ComparableText::Text(new)) => {
                    patch.add(change.path(), modes, FileSides::Lines(None, Some(&new)));
                }
                (ComparableText::Text(old), ComparableText::Absent) => {
                    patch.add(change.path(), modes, FileSides::Lines(Some(&old), None));
                }
                _ => {
                    let id = |entry: Option<TreeEntry>| entry.map(|entry| entry.id);
                    let (before, after) = (id(before), id(after));
                    let bytes = |id: &Option<crate::git::ObjectId>| {
                        id.map(|id| id.as_bytes().to_vec()).unwrap_or_default()
                    };
                    patch.add(change.path(), modes, FileSides::Opaque(&bytes(&before), &bytes(&after)));
                }
            }
        }
        Ok(*difference.ids.get_or_init(|| patch.ids()))
    }

    /// The lines of a file, if it has lines.
    pub fn text(&self, entry: Option<TreeEntry>) -> Result<ComparableText, ReviewError> {
        let Some(entry) = entry else { return Ok(ComparableText::Absent) };
        if !entry.mode.is_blob_or_symlink() {
            return Ok(ComparableText::Opaque);
        }
        let failed = |source| ReviewError::ReadFile { blob_id: entry.id, source };
        let header = match self.handle.find_header(entry.id.raw()) {
            // As in a partial clone: what it is called is all that is known of it.
            Err(source) if source.is_not_found() => return Ok(ComparableText::Opaque),
            header => header.map_err(failed)?,
        };
        if header.size() > MAX_COMPARED_BYTES as u64 {
            return Ok(ComparableText::Opaque);
        }
        let mut bytes = Vec::new();
        self.handle.objects.find_blob(&entry.id.raw(), &mut bytes).map_err(failed)?;
        if is_binary(&bytes) {
            Ok(ComparableText::Opaque)
        } else {
            Ok(ComparableText::Text(Text::new(bytes)))
        }
    }
}

/// The content of a file.
pub(in crate::review) enum ComparableText {
    /// There is no file.
    Absent,
    /// Lines.
    Text(Text),
    /// Content that is compared as a whole, or is not here.
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

fn mode(entry: Option<TreeEntry>) -> u16 {
    entry.map_or(0, |entry| entry.mode.value())
}

/// As git decides: a NUL near the beginning.
fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(8_000)]).is_some()
}
