//! Reads what the engine needs from a repository, each thing once.
//!
//! Caches here are by content, so what they hold never changes an answer. They are bounded by
//! count and forgotten as a whole when full.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use gix::objs::TreeRefIter;

use crate::edit::{Algorithm, LineMap, Text};
use crate::git::{BlobId, CommitId, DeltaBases, PackReader, PatchId, RepoPath, TreeId};
use crate::record::MAX_PATH_BYTES;

use super::begin::{self, Begin};
use super::bypass::{is_binary, is_searchable};
use super::cache::MapCache;
use super::changes::Changes;
use super::comparison::Comparison;
use super::conflict;
use super::files::nearness;
use super::fingerprint::Fingerprint;
use super::follow::Place;
use super::history::{self, Stretch, Way};
use super::memory::{Memory, OwnMemory};
use super::partial::PartialTree;
use super::renames::{File, Likeness};
use super::route::{Change, Direction, backward, forward};
use super::same_change::{self, Names};
use super::sight::Sight;
pub(super) use super::trees::Entry;
use super::trees::Trees;
use super::wanted::Said;

/// Texts, comparisons and tree differences that are remembered at once.
const MAX_REMEMBERED: usize = 4_096;

/// Commits that are remembered at once; they are small.
const MAX_REMEMBERED_SMALL: usize = 200_000;

/// Stretches of history that are remembered at once; anchors of one review share a few.
const MAX_STRETCHES: usize = 16;

/// How many commits before a head are looked through where nothing says which of them are its own.
const MAX_RECENT: usize = 1_024;

/// Lists of changed files, by how near they are, that are remembered at once; each is as long as the change is large.
const MAX_LISTS: usize = 64;

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

/// A file that came or changed, what it was before, and what it is now.
type Arrived = (RepoPath, Option<BlobId>, BlobId);

/// A repository and what was read from it; each thread has its own, and shares what is dear.
pub(super) struct Objects {
    repo: gix::Repository,
    packs: PackReader,
    shared: Arc<Shared>,
    comparisons: OwnMemory<(BlobId, BlobId), Comparison>,
    crossings: OwnMemory<(Version, Version), Comparison>,
    nearest: OwnMemory<(TreeId, TreeId, RepoPath), Vec<Arrived>>,
    /// The file that was looked at last.
    sight: RefCell<Option<Rc<Sight>>>,
}

/// What all threads of a batch know.
struct Shared {
    texts: Memory<BlobId, Text>,
    commits: Memory<CommitId, Commit>,
    trees: Trees,
    ways: Memory<(CommitId, CommitId), Option<Way>>,
    stretches: Memory<(CommitId, CommitId), Option<Stretch>>,
    recent: Memory<CommitId, Vec<CommitId>>,
    begins: Memory<(Option<CommitId>, CommitId, File), Begin>,
    names: Memory<CommitId, Names>,
    patch_ids: Memory<CommitId, Option<PatchId>>,
    routes: Memory<Leg, Vec<Change>>,
    renames: Memory<(TreeId, TreeId, File), Option<File>>,
    rankings: Memory<(TreeId, TreeId, File), Vec<Likeness>>,
    origins: Memory<(TreeId, TreeId, File), Option<BlobId>>,
    fingerprints: Memory<BlobId, Option<Fingerprint>>,
    changes: Memory<(TreeId, TreeId), Changes>,
    files: Memory<TreeId, Vec<(RepoPath, BlobId)>>,
    maps: Memory<(BlobId, BlobId), LineMap>,
    said: Memory<Version, Said>,
    cached: Option<Arc<MapCache>>,
    partial: Option<Arc<PartialTree>>,
    shallow: bool,
}

impl Objects {
    /// Reads from `repo`, and takes line maps from `cached` where it has them.
    pub fn new(repo: &gix::Repository, cached: Option<Arc<MapCache>>) -> Self {
        Self::noting(repo, cached, None)
    }

    /// As [`Objects::new`]; looks at `partial` are noted there.
    pub fn noting(
        repo: &gix::Repository,
        cached: Option<Arc<MapCache>>,
        partial: Option<Arc<PartialTree>>,
    ) -> Self {
        let shared = Shared {
            texts: Memory::new(MAX_REMEMBERED),
            commits: Memory::new(MAX_REMEMBERED_SMALL),
            trees: Trees::new(repo.object_hash()),
            ways: Memory::new(MAX_REMEMBERED_SMALL),
            stretches: Memory::new(MAX_STRETCHES),
            recent: Memory::new(MAX_STRETCHES),
            begins: Memory::new(MAX_REMEMBERED),
            names: Memory::new(MAX_REMEMBERED),
            patch_ids: Memory::new(MAX_REMEMBERED_SMALL),
            routes: Memory::new(MAX_REMEMBERED),
            renames: Memory::new(MAX_REMEMBERED),
            rankings: Memory::new(MAX_REMEMBERED),
            origins: Memory::new(MAX_REMEMBERED),
            fingerprints: Memory::new(MAX_REMEMBERED),
            changes: Memory::new(MAX_REMEMBERED),
            files: Memory::new(MAX_LISTINGS),
            maps: Memory::new(MAX_REMEMBERED),
            said: Memory::new(MAX_REMEMBERED),
            cached,
            partial,
            shallow: repo.is_shallow().unwrap_or(true),
        };
        Self::with(repo.clone(), PackReader::new(repo), Arc::new(shared))
    }

    /// What else a thread needs to work on the same batch, given a handle of its own.
    pub fn shares(&self) -> impl Fn(gix::Repository) -> Self + Sync + use<> {
        let (packs, shared) = (self.packs.packs(), self.shared.clone());
        move |repo| Self::with(repo, packs.reader(), shared.clone())
    }

    fn with(mut repo: gix::Repository, packs: PackReader, shared: Arc<Shared>) -> Self {
        repo.objects.set_pack_cache(|| Box::new(DeltaBases::default()));
        let (comparisons, crossings) = (OwnMemory::new(MAX_REMEMBERED), OwnMemory::new(MAX_REMEMBERED));
        let (nearest, sight) = (OwnMemory::new(MAX_LISTS), RefCell::default());
        Self { repo, packs, shared, comparisons, crossings, nearest, sight }
    }

    /// What earlier runs computed; `None` where history may grow backwards, as it does in a shallow clone.
    pub fn cached(&self) -> Option<&MapCache> {
        self.shared.cached.as_deref().filter(|_| !self.shared.shallow)
    }

    pub fn text(&self, blob: BlobId) -> Result<Arc<Text>, ObjectError> {
        self.shared.texts.get_or(blob, || Ok(Text::new(self.read(blob.raw())?)))
    }

    pub fn commit(&self, commit: CommitId) -> Result<Arc<Commit>, ObjectError> {
        self.shared.commits.get_or(commit, || {
            let data = self.read(commit.raw())?;
            let mut iter = gix::objs::CommitRefIter::from_bytes(&data, self.repo.object_hash());
            let tree = iter.tree_id().map_err(|error| failure(commit.raw(), &error))?.into();
            let time = iter.committer().ok().map_or(0, |who| who.seconds());
            Ok(Commit { tree, parents: iter.parent_ids().map(CommitId::from).collect(), time })
        })
    }

    /// What stands at `path`; `None` for nothing.
    pub fn entry(&self, tree: TreeId, path: &[u8]) -> Result<Option<Entry>, ObjectError> {
        self.looks_at(tree, path);
        self.shared.trees.entry(tree, path, &|tree| self.read(tree.raw()))
    }

    /// What stands at `path`, which nobody will ask for again.
    pub fn entry_once(&self, tree: TreeId, path: &[u8]) -> Result<Option<Entry>, ObjectError> {
        self.looks_at(tree, path);
        self.shared.trees.entry_once(tree, path, &|tree| self.read(tree.raw()))
    }

    /// The folder `name` of a tree; `None` if it has none of that name.
    pub fn folder(&self, tree: TreeId, name: &[u8]) -> Result<Option<TreeId>, ObjectError> {
        self.looks_at_all(tree);
        self.shared.trees.folder(tree, name, &|tree| self.read(tree.raw()))
    }

    /// Whether looks at a tree are noted.
    pub fn is_partial(&self) -> bool {
        self.shared.partial.is_some()
    }

    fn looks_at(&self, tree: TreeId, path: &[u8]) {
        if let Some(partial) = &self.shared.partial {
            partial.look_at(tree, path);
        }
    }

    fn looks_at_all(&self, tree: TreeId) {
        if let Some(partial) = &self.shared.partial {
            partial.look_at_all(tree);
        }
    }

    /// How history connects two commits; `None` if it does not.
    pub fn way(&self, from: CommitId, to: CommitId) -> Result<Arc<Option<Way>>, ObjectError> {
        self.shared.ways.get_or_wait((from, to), || history::way(self, from, to))
    }

    /// All that lies between an ancestor and its descendant; `None` if that is too much.
    pub fn stretch(
        &self,
        ancestor: CommitId,
        descendant: CommitId,
    ) -> Result<Arc<Option<Stretch>>, ObjectError> {
        let ends = (ancestor, descendant);
        self.shared.stretches.get_or_wait(ends, || history::stretch(self, ancestor, descendant))
    }

    /// The last commits before a head, the newest first.
    pub fn recent(&self, head: CommitId) -> Result<Arc<Vec<CommitId>>, ObjectError> {
        self.shared.recent.get_or(head, || history::recent(self, head, MAX_RECENT))
    }

    /// Where the way to a head begins for a place of a commit that is none of its ancestors.
    pub fn begin(
        &self,
        from: Option<CommitId>,
        to: CommitId,
        place: &Place,
    ) -> Result<Arc<Begin>, ObjectError> {
        let key = (from, to, (place.path.clone(), place.blob));
        self.shared.begins.get_or(key, || begin::begin(self, from, to, place))
    }

    /// What names a commit beside its id.
    pub fn names(&self, commit: CommitId) -> Result<Arc<Names>, ObjectError> {
        self.shared.names.get_or(commit, || Ok(Names::of(&self.read(commit.raw())?, self.hash())))
    }

    /// What a commit does, as a patch id.
    pub fn patch_id(&self, commit: CommitId) -> Result<Option<PatchId>, ObjectError> {
        let known = self.shared.patch_ids.get_or(commit, || same_change::patch_id(self, commit))?;
        Ok(*known)
    }

    /// The text of a file that is compared line by line; `None` for a large or binary one.
    pub fn lines(&self, blob: BlobId) -> Result<Option<Arc<Text>>, ObjectError> {
        Ok(Some(self.text(blob)?).filter(|text| is_searchable(text) && !is_binary(text.bytes())))
    }

    /// The changes of a place's file from `start` on to the end of a stretch.
    pub fn route(
        &self,
        stretch: &Stretch,
        direction: Direction,
        start: CommitId,
        place: &Place,
    ) -> Result<Arc<Vec<Change>>, ObjectError> {
        let ends = (stretch.ancestor, stretch.descendant);
        let leg = Leg { ends, direction, start, path: place.path.clone(), blob: place.blob };
        self.shared.routes.get_or(leg, || match direction {
            Direction::Forward => forward(self, stretch, start, place),
            Direction::Backward => backward(self, stretch, start, place),
        })
    }

    /// The files in which two trees differ.
    pub fn changes(&self, old: TreeId, new: TreeId) -> Result<Arc<Changes>, ObjectError> {
        self.looks_at_all(old);
        self.looks_at_all(new);
        self.shared.changes.get_or((old, new), || Changes::between(self, old, new))
    }

    /// The files that came to one of two trees or changed, of the kind of the one at `path`; those with the nearest paths
    /// come first.
    pub fn nearest(
        &self,
        old: TreeId,
        new: TreeId,
        path: &RepoPath,
    ) -> Result<Rc<Vec<Arrived>>, ObjectError> {
        self.nearest.get_or((old, new, path.clone()), || {
            let changes = self.changes(old, new)?;
            let added = changes.added.iter().map(|(path, blob)| (path.clone(), None, *blob));
            let modified = changes.modified.iter().map(|(path, was, is)| (path.clone(), Some(*was), *is));
            let mut files: Vec<Arrived> =
                added.chain(modified).filter(|(other, ..)| nearness(other, path).same_kind).collect();
            files.sort_by_cached_key(|(other, ..)| (Reverse(nearness(other, path)), other.clone()));
            Ok(files)
        })
    }

    /// All files of a tree; at most [`MAX_LISTED`] of them.
    pub fn files(&self, tree: TreeId) -> Result<Arc<Vec<(RepoPath, BlobId)>>, ObjectError> {
        self.looks_at_all(tree);
        self.shared.files.get_or(tree, || {
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
        (old, new): (TreeId, TreeId),
        lost: &File,
        judge: impl FnOnce() -> Result<Option<File>, ObjectError>,
    ) -> Result<Arc<Option<File>>, ObjectError> {
        self.shared.renames.get_or((old, new, lost.clone()), judge)
    }

    /// The files that a file which is gone from its path is like; compared once.
    pub fn ranking(
        &self,
        (old, new): (TreeId, TreeId),
        lost: &File,
        compare: impl FnOnce() -> Result<Vec<Likeness>, ObjectError>,
    ) -> Result<Arc<Vec<Likeness>>, ObjectError> {
        self.shared.rankings.get_or((old, new, lost.clone()), compare)
    }

    /// What an added file was before; judged once.
    pub fn origin(
        &self,
        (old, new): (TreeId, TreeId),
        added: &File,
        judge: impl FnOnce() -> Result<Option<BlobId>, ObjectError>,
    ) -> Result<Arc<Option<BlobId>>, ObjectError> {
        self.shared.origins.get_or((old, new, added.clone()), judge)
    }

    /// The lines of a file, ready to be compared with those of many others.
    pub fn fingerprint(&self, blob: BlobId) -> Result<Arc<Option<Fingerprint>>, ObjectError> {
        self.shared.fingerprints.get_or(blob, || Ok(Fingerprint::of(&*self.text(blob)?)))
    }

    /// Whether two blobs were compared already; only ever used to choose the cheaper of two ways to one answer.
    pub fn has_map(&self, old: BlobId, new: BlobId) -> bool {
        self.shared.maps.has(&(old, new))
    }

    /// The line map between two blobs.
    pub fn map(&self, old: BlobId, new: BlobId) -> Result<Arc<LineMap>, ObjectError> {
        self.shared.maps.get_or((old, new), || {
            if let Some(known) = self.shared.cached.as_ref().and_then(|cached| cached.get(old, new)) {
                return Ok(known);
            }
            let map = LineMap::between(&*self.text(old)?, &*self.side(old, new)?, Algorithm::Histogram);
            if let Some(cached) = &self.shared.cached {
                cached.put(old, new, &map);
            }
            Ok(map)
        })
    }

    /// The versions of an anchor's file, if the last anchor was in the same one at no cost.
    pub fn sight(
        &self,
        blobs: (BlobId, BlobId),
        head: TreeId,
        path: &RepoPath,
    ) -> Result<Rc<Sight>, ObjectError> {
        if let Some(last) = self.sight.borrow().as_ref().filter(|last| last.is_of(blobs, head, path)) {
            return Ok(last.clone());
        }
        let sight = Rc::new(Sight::new(self, blobs, head, path)?);
        Ok(self.sight.borrow_mut().insert(sight).clone())
    }

    /// Two versions of a file, side by side.
    pub fn comparison(&self, old: BlobId, new: BlobId) -> Result<Rc<Comparison>, ObjectError> {
        self.comparisons.get_or((old, new), || {
            Ok(Comparison::new(self.text(old)?, self.side(old, new)?, &*self.map(old, new)?))
        })
    }

    /// What the lines say that came to a file, or all of its lines if it was not there; nothing where nothing is searched.
    pub fn said(&self, (is, was): Version) -> Result<Arc<Said>, ObjectError> {
        self.shared.said.get_or((is, was), || {
            let text = self.text(is)?;
            if !is_searchable(&text) || is_binary(text.bytes()) {
                return Ok(Said::default());
            }
            Ok(match was {
                Some(was) => {
                    Said::by(&text, self.map(was, is)?.hunks().iter().map(|hunk| hunk.after.clone()))
                }
                None => Said::by(&text, std::iter::once(0..text.len())),
            })
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

    /// The new text, or the side of it that is the old one's where it has conflicts that the old one has not.
    pub fn side(&self, old: BlobId, new: BlobId) -> Result<Arc<Text>, ObjectError> {
        let text = self.text(new)?;
        if !conflict::may_be_in(&text) {
            return Ok(text);
        }
        let old = self.text(old)?;
        if conflict::is_in(&old) {
            return Ok(text);
        }
        Ok(conflict::side(&old, &text).map_or(text, Arc::new))
    }

    /// What git has under a name, of whatever kind.
    pub fn read(&self, id: gix::ObjectId) -> Result<Vec<u8>, ObjectError> {
        if let Some((_, bytes)) = self.packs.read(&id) {
            return Ok(Rc::unwrap_or_clone(bytes));
        }
        Ok(self.repo.find_object(id).map_err(|error| failure(id, &error))?.detach().data)
    }

    /// How names are made from content here.
    pub fn hash(&self) -> gix::hash::Kind {
        self.repo.object_hash()
    }
}

impl gix::objs::Find for Objects {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<gix::objs::Data<'a>>> {
        let Some((kind, bytes)) = self.packs.read(id) else { return self.repo.objects.try_find(id, buffer) };
        buffer.clear();
        buffer.extend_from_slice(&bytes);
        Ok(Some(gix::objs::Data { kind, object_hash: self.hash(), data: buffer }))
    }
}

pub(super) fn failure(object_id: gix::ObjectId, error: &dyn std::error::Error) -> ObjectError {
    ObjectError { object_id, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(folder: &tempfile::TempDir) -> (gix::Repository, BlobId, BlobId) {
        gix::init_bare(folder.path()).unwrap();
        let repo = gix::open_opts(folder.path(), gix::open::Options::isolated()).unwrap();
        let blob = |text: &str| BlobId::from(repo.write_blob(text).unwrap().detach());
        let (old, new) = (blob("a\nb\nc\n"), blob("a\nx\nb\nc\n"));
        (repo, old, new)
    }

    #[test]
    fn a_line_map_is_computed_once_a_file_for_all_threads() {
        let folder = tempfile::tempdir().unwrap();
        let (repo, old, new) = repository(&folder);
        let objects = Objects::new(&repo, None);
        let first = objects.map(old, new).unwrap();
        let other_thread = objects.shares()(repo);
        assert!(Arc::ptr_eq(&first, &other_thread.map(old, new).unwrap()));
    }

    #[test]
    fn a_line_map_of_an_earlier_run_is_reused() {
        let folder = tempfile::tempdir().unwrap();
        let (repo, old, new) = repository(&folder);
        // A map that nobody would compute from these texts.
        let known = LineMap::between(&Text::new("p\nq\nr\n"), &Text::new("q\n"), Algorithm::Histogram);
        MapCache::open(folder.path()).put(old, new, &known);
        let objects = Objects::new(&repo, Some(Arc::new(MapCache::open(folder.path()))));
        assert_eq!(*objects.map(old, new).unwrap(), known);
    }
}
