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

use super::memo::{Memo, ThreadMemo};
use super::tree_differences::TreeDifferences;
pub(crate) use super::tree_reader::PathEntry;
use super::tree_reader::TreeReader;
use crate::anchoring::cache::MapCache;
use crate::anchoring::files::bypass::{is_binary, is_searchable};
use crate::anchoring::files::file_pair::FilePair;
use crate::anchoring::files::fingerprint::FileFingerprint;
use crate::anchoring::files::renames::{FileBlob, RenameCandidate};
use crate::anchoring::files::same_file::nearness;
use crate::anchoring::history::commit_range::{self, CommitRange, CommitRelation};
use crate::anchoring::history::file_steps::{HistoryDirection, HistoryStep, backward, forward};
use crate::anchoring::history::follow::FileRegion;
use crate::anchoring::history::same_change::{self, CommitNames};
use crate::anchoring::history::start::{self, HistoryStart};
use crate::anchoring::lines::conflict_markers;
use crate::anchoring::lines::word_filter::WordSet;
use crate::anchoring::matching::comparison::Comparison;
use crate::anchoring::partial_tree::PartialTree;

/// Texts, comparisons and tree differences that are remembered at once.
const MAX_REMEMBERED: usize = 4_096;

/// Commits that are remembered at once; they are small.
const MAX_REMEMBERED_SMALL: usize = 200_000;

/// Ranges of commits that are remembered at once; anchors of one review share a few.
const MAX_RANGES: usize = 16;

/// How many commits before a head are looked through where nothing says which of them are its own.
const MAX_RECENT: usize = 1_024;

/// Lists of changed files, by how near they are, that are remembered at once; each is as long as the change is large.
const MAX_LISTS: usize = 64;

/// Listings of whole trees that are remembered at once.
const MAX_LISTINGS: usize = 4;

/// How many files of a tree are listed; later ones are not found by their content or name alone.
const MAX_LISTED: usize = 500_000;

/// Why an object could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("could not read object {object_id}: {reason}")]
pub struct ObjectError {
    /// The object.
    pub object_id: gix::ObjectId,
    /// What git says.
    pub reason: String,
}

/// What a commit points to.
#[derive(Debug)]
pub(crate) struct Commit {
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// The committer's time, in seconds; only ever used to walk in a good order.
    pub time: i64,
}

/// What of a file's history is asked for.
#[derive(PartialEq, Eq, Hash)]
struct RouteKey {
    ends: (CommitId, CommitId),
    direction: HistoryDirection,
    start: CommitId,
    path: RepoPath,
    blob: BlobId,
}

/// A version of a file and what it is compared with in the other tree; `None` if it is not there.
pub(crate) type VersionPair = (BlobId, Option<BlobId>);

/// A file that came or changed, what it was before, and what it is now.
type ArrivedFile = (RepoPath, Option<BlobId>, BlobId);

/// A repository and what was read from it; each thread has its own, and shares what is dear.
pub(crate) struct Objects {
    repo: gix::Repository,
    packs: PackReader,
    shared: Arc<Shared>,
    comparisons: ThreadMemo<(BlobId, BlobId), Comparison>,
    crossings: ThreadMemo<(VersionPair, VersionPair), Comparison>,
    nearest: ThreadMemo<(TreeId, TreeId, RepoPath), Vec<ArrivedFile>>,
    /// The file that was looked at last.
    file_pair: RefCell<Option<Rc<FilePair>>>,
}

/// What all threads of a batch know.
struct Shared {
    texts: Memo<BlobId, Text>,
    commits: Memo<CommitId, Commit>,
    trees: TreeReader,
    relations: Memo<(CommitId, CommitId), Option<CommitRelation>>,
    ranges: Memo<(CommitId, CommitId), Option<CommitRange>>,
    recent: Memo<CommitId, Vec<CommitId>>,
    starts: Memo<(Option<CommitId>, CommitId, FileBlob), HistoryStart>,
    names: Memo<CommitId, CommitNames>,
    patch_ids: Memo<CommitId, Option<PatchId>>,
    routes: Memo<RouteKey, Vec<HistoryStep>>,
    renames: Memo<(TreeId, TreeId, FileBlob), Option<FileBlob>>,
    rankings: Memo<(TreeId, TreeId, FileBlob), Vec<RenameCandidate>>,
    origins: Memo<(TreeId, TreeId, FileBlob), Option<BlobId>>,
    fingerprints: Memo<BlobId, Option<FileFingerprint>>,
    changes: Memo<(TreeId, TreeId), TreeDifferences>,
    files: Memo<TreeId, Vec<(RepoPath, BlobId)>>,
    maps: Memo<(BlobId, BlobId), LineMap>,
    fresh_words: Memo<VersionPair, WordSet>,
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
            texts: Memo::new(MAX_REMEMBERED),
            commits: Memo::new(MAX_REMEMBERED_SMALL),
            trees: TreeReader::new(repo.object_hash()),
            relations: Memo::new(MAX_REMEMBERED_SMALL),
            ranges: Memo::new(MAX_RANGES),
            recent: Memo::new(MAX_RANGES),
            starts: Memo::new(MAX_REMEMBERED),
            names: Memo::new(MAX_REMEMBERED),
            patch_ids: Memo::new(MAX_REMEMBERED_SMALL),
            routes: Memo::new(MAX_REMEMBERED),
            renames: Memo::new(MAX_REMEMBERED),
            rankings: Memo::new(MAX_REMEMBERED),
            origins: Memo::new(MAX_REMEMBERED),
            fingerprints: Memo::new(MAX_REMEMBERED),
            changes: Memo::new(MAX_REMEMBERED),
            files: Memo::new(MAX_LISTINGS),
            maps: Memo::new(MAX_REMEMBERED),
            fresh_words: Memo::new(MAX_REMEMBERED),
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
        let (comparisons, crossings) = (ThreadMemo::new(MAX_REMEMBERED), ThreadMemo::new(MAX_REMEMBERED));
        let (nearest, file_pair) = (ThreadMemo::new(MAX_LISTS), RefCell::default());
        Self { repo, packs, shared, comparisons, crossings, nearest, file_pair }
    }

    /// What earlier runs computed; `None` if history may grow backwards, as it does in a shallow clone.
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

    /// What is at `path`; `None` for nothing.
    pub fn entry(&self, tree: TreeId, path: &[u8]) -> Result<Option<PathEntry>, ObjectError> {
        self.looks_at(tree, path);
        self.shared.trees.entry(tree, path, &|tree| self.read(tree.raw()))
    }

    /// What is at `path`, which is not asked for again.
    pub fn entry_once(&self, tree: TreeId, path: &[u8]) -> Result<Option<PathEntry>, ObjectError> {
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
    pub fn relation(&self, from: CommitId, to: CommitId) -> Result<Arc<Option<CommitRelation>>, ObjectError> {
        self.shared.relations.get_or_wait((from, to), || commit_range::relation(self, from, to))
    }

    /// All that lies between an ancestor and its descendant; `None` if that is too much.
    pub fn commit_range(
        &self,
        ancestor: CommitId,
        descendant: CommitId,
    ) -> Result<Arc<Option<CommitRange>>, ObjectError> {
        let ends = (ancestor, descendant);
        self.shared.ranges.get_or_wait(ends, || commit_range::between(self, ancestor, descendant))
    }

    /// The last commits before a head, the newest first.
    pub fn recent(&self, head: CommitId) -> Result<Arc<Vec<CommitId>>, ObjectError> {
        self.shared.recent.get_or(head, || commit_range::recent(self, head, MAX_RECENT))
    }

    /// Where the way to a head begins for a place of a commit that is none of its ancestors.
    pub fn history_start(
        &self,
        from: Option<CommitId>,
        to: CommitId,
        place: &FileRegion,
    ) -> Result<Arc<HistoryStart>, ObjectError> {
        let key = (from, to, (place.path.clone(), place.blob));
        self.shared.starts.get_or(key, || start::find_start(self, from, to, place))
    }

    /// What names a commit beside its id.
    pub fn commit_names(&self, commit: CommitId) -> Result<Arc<CommitNames>, ObjectError> {
        self.shared.names.get_or(commit, || Ok(CommitNames::of(&self.read(commit.raw())?, self.hash())))
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

    /// The changes of a place's file from `start` on to the end of a range of commits.
    pub fn route(
        &self,
        range: &CommitRange,
        direction: HistoryDirection,
        start: CommitId,
        place: &FileRegion,
    ) -> Result<Arc<Vec<HistoryStep>>, ObjectError> {
        let ends = (range.ancestor, range.descendant);
        let leg = RouteKey { ends, direction, start, path: place.path.clone(), blob: place.blob };
        self.shared.routes.get_or(leg, || match direction {
            HistoryDirection::Forward => forward(self, range, start, place),
            HistoryDirection::Backward => backward(self, range, start, place),
        })
    }

    /// The files in which two trees differ.
    pub fn changes(&self, old: TreeId, new: TreeId) -> Result<Arc<TreeDifferences>, ObjectError> {
        self.looks_at_all(old);
        self.looks_at_all(new);
        self.shared.changes.get_or((old, new), || TreeDifferences::between(self, old, new))
    }

    /// The files that came to one of two trees or changed, of the kind of the one at `path`; those with the nearest paths
    /// come first.
    pub fn nearest(
        &self,
        old: TreeId,
        new: TreeId,
        path: &RepoPath,
    ) -> Result<Rc<Vec<ArrivedFile>>, ObjectError> {
        self.nearest.get_or((old, new, path.clone()), || {
            let changes = self.changes(old, new)?;
            let added = changes.added.iter().map(|(path, blob)| (path.clone(), None, *blob));
            let modified = changes.modified.iter().map(|(path, was, is)| (path.clone(), Some(*was), *is));
            let mut files: Vec<ArrivedFile> =
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
        lost: &FileBlob,
        judge: impl FnOnce() -> Result<Option<FileBlob>, ObjectError>,
    ) -> Result<Arc<Option<FileBlob>>, ObjectError> {
        self.shared.renames.get_or((old, new, lost.clone()), judge)
    }

    /// The files that a file which is gone from its path is like; compared once.
    pub fn ranking(
        &self,
        (old, new): (TreeId, TreeId),
        lost: &FileBlob,
        compare: impl FnOnce() -> Result<Vec<RenameCandidate>, ObjectError>,
    ) -> Result<Arc<Vec<RenameCandidate>>, ObjectError> {
        self.shared.rankings.get_or((old, new, lost.clone()), compare)
    }

    /// What an added file was before; judged once.
    pub fn origin(
        &self,
        (old, new): (TreeId, TreeId),
        added: &FileBlob,
        judge: impl FnOnce() -> Result<Option<BlobId>, ObjectError>,
    ) -> Result<Arc<Option<BlobId>>, ObjectError> {
        self.shared.origins.get_or((old, new, added.clone()), judge)
    }

    /// The lines of a file, ready to be compared with those of many others.
    pub fn fingerprint(&self, blob: BlobId) -> Result<Arc<Option<FileFingerprint>>, ObjectError> {
        self.shared.fingerprints.get_or(blob, || Ok(FileFingerprint::of(&*self.text(blob)?)))
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
    pub fn file_pair(
        &self,
        blobs: (BlobId, BlobId),
        head: TreeId,
        path: &RepoPath,
    ) -> Result<Rc<FilePair>, ObjectError> {
        if let Some(last) = self.file_pair.borrow().as_ref().filter(|last| last.is_of(blobs, head, path)) {
            return Ok(last.clone());
        }
        let file_pair = Rc::new(FilePair::new(self, blobs, head, path)?);
        Ok(self.file_pair.borrow_mut().insert(file_pair).clone())
    }

    /// Two versions of a file, side by side.
    pub fn comparison(&self, old: BlobId, new: BlobId) -> Result<Rc<Comparison>, ObjectError> {
        self.comparisons.get_or((old, new), || {
            Ok(Comparison::new(self.text(old)?, self.side(old, new)?, &*self.map(old, new)?))
        })
    }

    /// What the lines say that came to a file, or all of its lines if it was not there; nothing where nothing is searched.
    pub fn fresh_words(&self, (is, was): VersionPair) -> Result<Arc<WordSet>, ObjectError> {
        self.shared.fresh_words.get_or((is, was), || {
            let text = self.text(is)?;
            if !is_searchable(&text) || is_binary(text.bytes()) {
                return Ok(WordSet::default());
            }
            Ok(match was {
                Some(was) => {
                    WordSet::of_lines(&text, self.map(was, is)?.hunks().iter().map(|hunk| hunk.after.clone()))
                }
                None => WordSet::of_lines(&text, std::iter::once(0..text.len())),
            })
        })
    }

    /// The lines that left one file beside those that came to another.
    pub fn crossing(&self, left: VersionPair, came: VersionPair) -> Result<Rc<Comparison>, ObjectError> {
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
        if !conflict_markers::may_be_in(&text) {
            return Ok(text);
        }
        let old = self.text(old)?;
        if conflict_markers::is_in(&old) {
            return Ok(text);
        }
        Ok(conflict_markers::side(&old, &text).map_or(text, Arc::new))
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

pub(crate) fn failure(object_id: gix::ObjectId, error: &dyn std::error::Error) -> ObjectError {
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
