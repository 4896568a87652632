//! Puts the objects of new commits on disk, before a ref reaches them.
//!
//! Objects that were there already count as well: stock git syncs no loose object, and a long-lived handle may see
//! objects in packs that `git gc` has removed since. So a fresh store is opened to find out what is there.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use gix::objs::{Find as _, Kind};

use super::loose_writer::{LooseWriter, path_of};
use super::pack_writer;
use super::writer_lock::WriterLock;
use crate::git::error::{ReadError, WriteError};
use crate::git::history;
use crate::git::packs::cruft_packs::CruftPacks;
use crate::git::packs::known_objects::KnownObjects;
use crate::git::tree::{self, Subtrees, TreeDamage};
use crate::git::{CommitId, DeltaBases, ObjectId, Repository};

/// From this many new objects on, one pack is faster to write and to sync than as many files.
pub const PACK_FROM: usize = 50;

/// What is found on disk and copied into the pack, at most, while a `git gc` runs.
///
/// What is larger is file content, which the commits of the code refer to as well.
const MAX_COPIED: usize = 8 << 20;

/// A `git gc` that packs a loose object removes its file and perhaps the directory; how often the search is repeated.
const STORE_ATTEMPTS: usize = 8;

/// Objects that are on disk, and safe from `git gc` until [`StoredObjects::release`].
#[must_use = "the pack of these objects is kept from `git gc` until it is released"]
#[derive(Debug)]
pub struct StoredObjects {
    keep: Option<PathBuf>,
    /// Whether a running `git gc` cannot remove them: it removes no pack that is younger than itself.
    pub is_safe: bool,
    /// All objects that the commits brought, ours or found.
    pub objects: Vec<ObjectId>,
    /// Those that are neither on disk nor in memory: blobs of a partial clone, for one.
    pub absent: Vec<ObjectId>,
    /// Parts of the commits' trees that could not be looked into.
    pub damage: Vec<TreeDamage>,
}

impl StoredObjects {
    /// Lets `git gc` have the pack, after a ref reaches its objects, or if none ever will.
    pub fn release(self, writer: &mut WriterLock<'_>) -> Result<(), WriteError> {
        let Some(keep) = self.keep else { return Ok(()) };
        super::durable_files::remove_if_there(&keep)
            .map_err(|source| WriteError::File { path: keep.clone(), source })?;
        writer.unmark(&keep).map_err(|err| WriteError::Note(Box::new(err)))
    }
}

impl WriterLock<'_> {
    /// Puts on disk all that `commits` brought and their parents did not have, and waits for the disk.
    ///
    /// `handle` is one of [`Repository::stage`], with the new objects in its memory, where they stay. Other objects
    /// in its memory are not written. `now` becomes the modification time of objects that are there already, so that
    /// a running `git gc` does not take them for old.
    ///
    /// While a `git gc` runs, everything goes into a pack: with `--prune=now` it removes every loose object that no
    /// ref reached when it began to look, however new it is.
    pub fn store_objects(
        &mut self,
        handle: &gix::Repository,
        commits: &[CommitId],
        now: SystemTime,
    ) -> Result<StoredObjects, WriteError> {
        let mut brought = BTreeSet::new();
        let mut damage = Vec::new();
        for commit in commits {
            let found = introduced(handle, *commit, &mut brought);
            damage.extend(found.map_err(|source| WriteError::Introduced {
                commit: (*commit).into(),
                source: Box::new(source),
            })?);
        }
        let is_safe = self.repository().is_collecting(now);
        let mut attempts = 0;
        let (keep, absent) = loop {
            match self.put(handle, &brought, now, is_safe) {
                Err(WriteError::File { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && attempts < STORE_ATTEMPTS =>
                {
                    attempts += 1;
                }
                put => break put?,
            }
        };
        Ok(StoredObjects { keep, is_safe, objects: brought.into_iter().collect(), absent, damage })
    }

    /// Puts these on disk; returns the file that keeps their pack from `git gc`, and the objects that were not found.
    fn put(
        &mut self,
        handle: &gix::Repository,
        brought: &BTreeSet<ObjectId>,
        now: SystemTime,
        is_collecting: bool,
    ) -> Result<(Option<PathBuf>, Vec<ObjectId>), WriteError> {
        let repo = self.repository();
        let on_disk = open_store(repo)?;
        let cruft = CruftPacks::open(repo);
        let mut loose = LooseWriter::new(repo, handle.loose_compression());
        let mut new = Vec::new();
        let mut absent = Vec::new();
        let mut copied = 0;
        for id in brought {
            if on_disk.exists_without_refresh(&id.raw()) && !cruft.threaten(*id) {
                loose.sync_existing(*id, now)?;
                if is_collecting && let Some((kind, bytes)) = read_small(handle, *id, MAX_COPIED - copied) {
                    copied += bytes.len();
                    new.push((*id, kind, bytes));
                }
                continue;
            }
            match read(handle, *id) {
                Some((kind, bytes)) => new.push((*id, kind, bytes)),
                None => absent.push(*id),
            }
        }
        if new.len() < PACK_FROM && (!is_collecting || new.is_empty()) {
            // What takes longest goes first.
            new.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(bytes.len()));
            for (id, kind, bytes) in &new {
                loose.write(*id, *kind, bytes)?;
            }
            self.note_kept(&loose.finish()?);
            return Ok((None, absent));
        }
        self.note_kept(&loose.finish()?);
        let compression = handle.pack_compression().unwrap_or(gix::zlib::Compression::DEFAULT);
        Ok((Some(pack_writer::write(self, &new, compression)?), absent))
    }
}

impl Repository {
    /// Returns a handle that keeps what is written in its memory, for [`WriterLock::store_objects`].
    ///
    /// Make one for each group of writes, and write through its `objects`, which keep everything. The methods of
    /// [`gix::Repository`] skip objects that they believe are there: after a `git gc` an old handle still knows the
    /// index of a pack that is gone.
    pub fn stage(&self) -> Result<gix::Repository, WriteError> {
        let mut handle = self.handle();
        let mut store = open_store(self)?;
        store.set_pack_cache(|| Box::new(DeltaBases::default()));
        store.set_object_cache(|| Box::new(KnownObjects::default()));
        handle.objects = gix::odb::memory::Proxy::new(store, self.object_hash());
        Ok(handle)
    }

    /// Returns those of `ids` that are not on disk, or will soon be removed.
    ///
    /// Call this after the ref moved: a `git gc` that began earlier may have removed objects that were there.
    pub fn vanished(&self, ids: &[ObjectId]) -> Result<Vec<ObjectId>, WriteError> {
        let objects_dir = self.objects_dir();
        // Nearly always few were written, each a file of its own.
        if ids.iter().all(|id| path_of(&objects_dir, *id).is_file()) {
            return Ok(Vec::new());
        }
        let cruft = CruftPacks::open(self);
        let on_disk = open_store(self)?;
        let lasts = |id: ObjectId| on_disk.exists_without_refresh(&id.raw()) && !cruft.threaten(id);
        Ok(ids.iter().copied().filter(|id| !lasts(*id)).collect())
    }
}

/// Adds the objects of `commit` that none of its parents has.
fn introduced(
    handle: &gix::Repository,
    commit: CommitId,
    brought: &mut BTreeSet<ObjectId>,
) -> Result<Vec<TreeDamage>, ReadError> {
    let info = history::commit(handle, commit)?;
    brought.insert(commit.into());
    let mut damage = Vec::new();
    let mut new: Option<BTreeSet<ObjectId>> = None;
    for parent in info.parents {
        let parent_tree = match history::commit(handle, parent) {
            Ok(parent) => parent.tree,
            // Beyond the end of a shallow history nothing can be compared.
            Err(ReadError::Missing { .. }) => continue,
            Err(err) => return Err(err),
        };
        let against = new_ids(handle, Some(parent_tree), info.tree, &mut damage)?;
        new = Some(match new {
            None => against,
            Some(so_far) => so_far.intersection(&against).copied().collect(),
        });
    }
    brought.extend(match new {
        Some(new) => new,
        None => new_ids(handle, None, info.tree, &mut damage)?,
    });
    Ok(damage)
}

fn new_ids(
    handle: &gix::Repository,
    old: Option<crate::git::TreeId>,
    new: crate::git::TreeId,
    damage: &mut Vec<TreeDamage>,
) -> Result<BTreeSet<ObjectId>, ReadError> {
    if old == Some(new) {
        return Ok(BTreeSet::new());
    }
    let found = tree::diff(handle, old, Some(new), Subtrees::Report)?;
    damage.extend(found.damage);
    let entries =
        found.changes.iter().filter_map(tree::TreeChange::after).filter(|entry| !entry.mode.is_commit());
    Ok(entries.map(|entry| entry.id).chain([ObjectId::from(new.raw())]).collect())
}

fn read(handle: &gix::Repository, id: ObjectId) -> Option<(Kind, Vec<u8>)> {
    let mut bytes = Vec::new();
    let kind = handle.objects.try_find(&id.raw(), &mut bytes).ok()??.kind;
    Some((kind, bytes))
}

/// As [`read`], if the object has at most so many bytes.
fn read_small(handle: &gix::Repository, id: ObjectId, max_bytes: usize) -> Option<(Kind, Vec<u8>)> {
    let header = handle.find_header(id.raw()).ok()?;
    if header.size() > max_bytes as u64 { None } else { read(handle, id) }
}

/// The objects as they are on disk now.
pub(in crate::git) fn open_store(repo: &Repository) -> Result<gix::odb::Handle, WriteError> {
    let dir = repo.objects_dir();
    gix::odb::at(dir.clone(), repo.object_hash()).map_err(|source| WriteError::Store { dir, source })
}
