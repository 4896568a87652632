//! Reads what the engine needs from a repository, each thing once.
//!
//! Caches here are by content, so what they hold never changes an answer. They are bounded by
//! count and forgotten as a whole when full.

use std::rc::Rc;
use std::sync::Arc;

use gix::objs::TreeRefIter;

use crate::edit::{Algorithm, LineMap, Text};
use crate::git::{BlobId, CommitId, DeltaBases, RepoPath, TreeId};
use crate::record::MAX_PATH_BYTES;

use super::cache::MapCache;
use super::comparison::Comparison;
use super::conflict;
use super::files::{Fingerprint, Went};
use super::follow::Place;
use super::history::{self, Stretch, Way};
use super::memory::Memory;
use super::route::{Change, Direction, backward, forward};
pub(super) use super::trees::Entry;
use super::trees::Trees;

/// Texts, comparisons and tree differences that are remembered at once.
const MAX_REMEMBERED: usize = 4_096;

/// Commits that are remembered at once; they are small.
const MAX_REMEMBERED_SMALL: usize = 200_000;

/// Ways through history that are remembered at once; anchors of one review share a few.
const MAX_WAYS: usize = 16;

/// Listings of whole trees that are remembered at once.
const MAX_LISTINGS: usize = 4;

/// Files behind the first so many of a tree are not found by their content or name alone.
const MAX_LISTED: usize = 500_000;

/// Why an object could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("object {object_id} could not be read: {reason}")]
pub struct ObjectError {
    /// The object.
    pub object_id: gix::ObjectId,
    /// What git says.
    pub reason: String,
}

/// What a commit points to.
#[derive(Debug)]
pub(super) struct Commit {
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// The committer's time, in seconds; only ever used to walk in a good order.
    pub time: i64,
}

/// The files in which two trees differ, each list sorted by path.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub added: Vec<(RepoPath, BlobId)>,
    pub deleted: Vec<(RepoPath, BlobId)>,
    pub modified: Vec<(RepoPath, BlobId, BlobId)>,
}

/// What of a file's history is asked for.
#[derive(PartialEq, Eq, Hash)]
struct Leg {
    ends: (CommitId, CommitId),
    direction: Direction,
    start: CommitId,
    path: RepoPath,
    blob: BlobId,
}

/// A version of a file and what it is compared with in the other tree; `None` if it is not there.
pub(super) type Version = (BlobId, Option<BlobId>);

/// A repository and what was read from it.
pub(super) struct Objects {
    repo: gix::Repository,
    texts: Memory<BlobId, Text>,
    commits: Memory<CommitId, Commit>,
    trees: Trees,
    ways: Memory<(CommitId, CommitId), Option<Way>>,
    routes: Memory<Leg, Vec<Change>>,
    renames: Memory<(TreeId, TreeId, RepoPath, BlobId), Option<Went>>,
    fingerprints: Memory<BlobId, Option<Fingerprint>>,
    changes: Memory<(TreeId, TreeId), Changes>,
    files: Memory<TreeId, Vec<(RepoPath, BlobId)>>,
    cached: Option<Arc<MapCache>>,
    shallow: bool,
    maps: Memory<(BlobId, BlobId), LineMap>,
    comparisons: Memory<(BlobId, BlobId), Comparison>,
    crossings: Memory<(Version, Version), Comparison>,
}

impl Objects {
    /// Reads from `repo`, and takes line maps from `cached` where it has them.
    pub fn new(repo: &gix::Repository, cached: Option<Arc<MapCache>>) -> Self {
        let mut repo = repo.clone();
        repo.objects.set_pack_cache(|| Box::new(DeltaBases::default()));
        let trees = Trees::new(repo.object_hash());
        Self {
            shallow: repo.is_shallow().unwrap_or(true),
            repo,
            cached,
            texts: Memory::new(MAX_REMEMBERED),
            commits: Memory::new(MAX_REMEMBERED_SMALL),
            trees,
            ways: Memory::new(MAX_WAYS),
            routes: Memory::new(MAX_REMEMBERED),
            renames: Memory::new(MAX_REMEMBERED),
            fingerprints: Memory::new(MAX_REMEMBERED),
            changes: Memory::new(MAX_REMEMBERED),
            files: Memory::new(MAX_LISTINGS),
            maps: Memory::new(MAX_REMEMBERED),
            comparisons: Memory::new(MAX_REMEMBERED),
            crossings: Memory::new(MAX_REMEMBERED),
        }
    }

    /// What earlier runs computed; `None` where history may grow backwards, as it does in a shallow clone.
    pub fn cached(&self) -> Option<&MapCache> {
        self.cached.as_deref().filter(|_| !self.shallow)
    }

    pub fn text(&self, blob: BlobId) -> Result<Rc<Text>, ObjectError> {
        self.texts.get_or(blob, || Ok(Text::new(self.read(blob.raw())?)))
    }

    pub fn commit(&self, commit: CommitId) -> Result<Rc<Commit>, ObjectError> {
        self.commits.get_or(commit, || {
            let data = self.read(commit.raw())?;
            let mut iter = gix::objs::CommitRefIter::from_bytes(&data, self.repo.object_hash());
            let tree = iter.tree_id().map_err(|error| failure(commit.raw(), &error))?.into();
            let time = iter.committer().ok().map_or(0, |who| who.seconds());
            Ok(Commit { tree, parents: iter.parent_ids().map(CommitId::from).collect(), time })
        })
    }

    /// What stands at `path`; `None` for nothing.
    pub fn entry(&self, tree: TreeId, path: &[u8]) -> Result<Option<Entry>, ObjectError> {
        self.trees.entry(tree, path, &|tree| self.read(tree.raw()))
    }

    /// The folder `name` of a tree; `None` if it has none of that name.
    pub fn folder(&self, tree: TreeId, name: &[u8]) -> Result<Option<TreeId>, ObjectError> {
        self.trees.folder(tree, name, &|tree| self.read(tree.raw()))
    }

    /// How history connects two commits; `None` if it does not.
    pub fn way(&self, from: CommitId, to: CommitId) -> Result<Rc<Option<Way>>, ObjectError> {
        self.ways.get_or((from, to), || history::way(self, from, to))
    }

    /// The changes of a place's file from `start` on to the end of a stretch.
    pub fn route(
        &self,
        stretch: &Stretch,
        direction: Direction,
        start: CommitId,
        place: &Place,
    ) -> Result<Rc<Vec<Change>>, ObjectError> {
        let ends = (stretch.ancestor, stretch.descendant);
        let leg = Leg { ends, direction, start, path: place.path.clone(), blob: place.blob };
        self.routes.get_or(leg, || match direction {
            Direction::Forward => forward(self, stretch, start, place),
            Direction::Backward => backward(self, stretch, start, place),
        })
    }

    /// The files in which two trees differ.
    pub fn changes(&self, old: TreeId, new: TreeId) -> Result<Rc<Changes>, ObjectError> {
        self.changes.get_or((old, new), || self.compare_trees(old, new))
    }

    /// All files of a tree; at most [`MAX_LISTED`] of them.
    pub fn files(&self, tree: TreeId) -> Result<Rc<Vec<(RepoPath, BlobId)>>, ObjectError> {
        self.files.get_or(tree, || {
            let mut files = Vec::new();
            self.list(tree, &mut Vec::new(), &mut files)?;
            Ok(files)
        })
    }

    fn list(
        &self,
        tree: TreeId,
        path: &mut Vec<u8>,
        files: &mut Vec<(RepoPath, BlobId)>,
    ) -> Result<(), ObjectError> {
        let data = self.read(tree.raw())?;
        for entry in TreeRefIter::from_bytes(&data, self.repo.object_hash()) {
            let entry = entry.map_err(|error| failure(tree.raw(), &error))?;
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() && files.len() < MAX_LISTED && path.len() < MAX_PATH_BYTES {
                path.push(b'/');
                self.list(entry.oid.to_owned().into(), path, files)?;
            } else if entry.mode.is_blob() && files.len() < MAX_LISTED {
                files.extend(RepoPath::new(path.clone()).map(|path| (path, entry.oid.to_owned().into())));
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// What a file that is gone from its path was renamed to; judged once.
    pub fn rename(
        &self,
        old: TreeId,
        new: TreeId,
        path: &RepoPath,
        blob: BlobId,
        judge: impl FnOnce() -> Result<Option<Went>, ObjectError>,
    ) -> Result<Rc<Option<Went>>, ObjectError> {
        self.renames.get_or((old, new, path.clone(), blob), judge)
    }

    /// The lines of a file, ready to be compared with those of many others.
    pub fn fingerprint(&self, blob: BlobId) -> Result<Rc<Option<Fingerprint>>, ObjectError> {
        self.fingerprints.get_or(blob, || Ok(Fingerprint::of(&*self.text(blob)?)))
    }

    /// The line map between two blobs.
    pub fn map(&self, old: BlobId, new: BlobId) -> Result<Rc<LineMap>, ObjectError> {
        self.maps.get_or((old, new), || {
            if let Some(known) = self.cached.as_ref().and_then(|cached| cached.get(old, new)) {
                return Ok(known);
            }
            let map = LineMap::between(&*self.text(old)?, &*self.side(old, new)?, Algorithm::Histogram);
            if let Some(cached) = &self.cached {
                cached.put(old, new, &map);
            }
            Ok(map)
        })
    }

    /// Two versions of a file, side by side.
    pub fn comparison(&self, old: BlobId, new: BlobId) -> Result<Rc<Comparison>, ObjectError> {
        self.comparisons.get_or((old, new), || {
            Ok(Comparison::new(self.text(old)?, self.side(old, new)?, &*self.map(old, new)?))
        })
    }

    /// The lines that left one file beside those that came to another.
    pub fn crossing(&self, left: Version, came: Version) -> Result<Rc<Comparison>, ObjectError> {
        self.crossings.get_or((left, came), || {
            let (old, new) = (self.text(left.0)?, self.text(came.0)?);
            let gone = match left.1 {
                Some(now) => self.comparison(left.0, now)?.gone_runs().to_vec(),
                None => std::iter::once(0..old.len()).collect(),
            };
            let fresh = match came.1 {
                Some(was) => self.map(was, came.0)?.hunks().iter().map(|hunk| hunk.after.clone()).collect(),
                None => std::iter::once(0..new.len()).collect(),
            };
            Ok(Comparison::across(old, gone, new, fresh))
        })
    }

    /// The new text, or our side of it where it has conflicts that the old one has not.
    fn side(&self, old: BlobId, new: BlobId) -> Result<Rc<Text>, ObjectError> {
        let text = self.text(new)?;
        if memchr::memmem::find(text.bytes(), b"\n>>>>>>> ").is_none()
            || conflict::ours(&*self.text(old)?).is_some()
        {
            return Ok(text);
        }
        Ok(conflict::ours(&text).map_or(text, Rc::new))
    }

    fn read(&self, id: gix::ObjectId) -> Result<Vec<u8>, ObjectError> {
        Ok(self.repo.find_object(id).map_err(|error| failure(id, &error))?.detach().data)
    }

    fn compare_trees(&self, old: TreeId, new: TreeId) -> Result<Changes, ObjectError> {
        use gix::diff::tree::recorder::{Change, Location};
        let (old_data, new_data) = (self.read(old.raw())?, self.read(new.raw())?);
        let mut recorder = gix::diff::tree::Recorder::default().track_location(Some(Location::Path));
        let hash = self.repo.object_hash();
        gix::diff::tree(
            TreeRefIter::from_bytes(&old_data, hash),
            TreeRefIter::from_bytes(&new_data, hash),
            gix::diff::tree::State::default(),
            &self.repo.objects,
            &mut recorder,
        )
        .map_err(|error| failure(new.raw(), &error))?;
        let mut changes = Changes::default();
        let named = |path: gix::bstr::BString| RepoPath::new(Vec::from(path));
        for record in recorder.records {
            match record {
                Change::Addition { entry_mode, oid, path, .. } if entry_mode.is_blob() => {
                    changes.added.extend(named(path).map(|path| (path, oid.into())));
                }
                Change::Deletion { entry_mode, oid, path, .. } if entry_mode.is_blob() => {
                    changes.deleted.extend(named(path).map(|path| (path, oid.into())));
                }
                Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path } => {
                    let Some(path) = named(path) else { continue };
                    match (previous_entry_mode.is_blob(), entry_mode.is_blob()) {
                        (true, true) => changes.modified.push((path, previous_oid.into(), oid.into())),
                        (true, false) => changes.deleted.push((path, previous_oid.into())),
                        (false, true) => changes.added.push((path, oid.into())),
                        (false, false) => {}
                    }
                }
                Change::Addition { .. } | Change::Deletion { .. } => {}
            }
        }
        changes.added.sort();
        changes.deleted.sort();
        changes.modified.sort();
        Ok(changes)
    }
}

fn failure(object_id: gix::ObjectId, error: &dyn std::error::Error) -> ObjectError {
    ObjectError { object_id, reason: error.to_string() }
}
