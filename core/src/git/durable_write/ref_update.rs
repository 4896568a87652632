//! Moves a ref, if it still is where the caller read it (compare and swap).
//!
//! gix does the same without waiting for the disk, and cannot tell a dead writer's lock from a living one's. So the
//! files are written here: loose refs only, by git's own protocol, so that any git may run at the same time.

use std::fs;
use std::path::{Path, PathBuf};

use super::durable_files::{Durability, begin_sync_dir};
use super::lockfile::{LockFile, LockTempFile, Prepared};
use super::packed_refs;
use super::reflog::{self, LogEntry, prune_empty_parents, remove_empty_dirs};
use super::sync_pool::PendingSync;
use super::writer_lock::WriterLock;
use crate::git::error::RefError;
use crate::git::{ObjectId, Patience, RefName};

/// One move of one ref.
#[derive(Clone, Copy, Debug)]
pub struct RefUpdate<'a> {
    /// Which ref.
    pub name: &'a RefName,
    /// Where it must be for the move to happen; `None`: it must not exist.
    pub expected: Option<ObjectId>,
    /// Where it goes; `None`: it is deleted, with its reflog.
    pub new: Option<ObjectId>,
    /// The entry for the reflog.
    pub log: LogEntry<'a>,
    /// Whether the move is on disk when [`WriterLock::swap`] returns.
    pub durability: Durability,
    /// How long to wait for a git that holds the ref's lock.
    pub patience: Patience,
}

/// A ref that has moved; the move may not be on disk yet.
#[must_use = "whether it is on disk is returned by `finish` only"]
#[derive(Default)]
pub struct Moved(Option<(PathBuf, PendingSync)>);

impl Moved {
    fn within(dir: Option<&Path>, durability: Durability) -> Self {
        let dir = dir.filter(|_| durability == Durability::Synced);
        Self(dir.map(|dir| (dir.to_owned(), begin_sync_dir(dir.to_owned()))))
    }

    /// Waits until it is on disk, if it is to be.
    pub fn finish(self) -> Result<(), RefError> {
        let Some((dir, syncing)) = self.0 else { return Ok(()) };
        syncing.finish().map_err(|(_, source)| RefError::Write { path: dir, source })
    }
}

/// The new value of a ref, in a file.
enum Ready {
    /// In its lock, which is taken for this move alone.
    Lock(LockFile),
    /// Beside, since the lock is held for longer.
    LockTempFile(LockTempFile),
}

impl WriterLock<'_> {
    /// Moves a ref, or fails and leaves it where it is.
    ///
    /// [`RefError::Raced`] has the place where the ref is instead. After an error about syncing, the ref has moved, and
    /// whether that survives a power loss is unknown.
    pub fn swap(&mut self, update: &RefUpdate<'_>) -> Result<(), RefError> {
        self.begin_swap(update)?.finish()
    }

    /// As [`WriterLock::swap`], but does not wait for the disk: other processes see the move already, and the caller
    /// can do something else until it is on disk.
    pub fn begin_swap(&mut self, update: &RefUpdate<'_>) -> Result<Moved, RefError> {
        let path = update.name.below(self.repository().common_dir());
        if update.expected.is_none() {
            self.check_room(update.name)?;
        }
        if fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink()) {
            return Err(RefError::Symbolic { name: update.name.clone() });
        }
        let content = update.new.map(|id| format!("{id}\n")).unwrap_or_default();
        if self.holds(&path) {
            let draft = LockTempFile::new(self, content.as_bytes())?;
            return self.move_under(Ready::LockTempFile(draft), &path, update);
        }
        let lock = LockFile::take(self, &path, content.as_bytes(), update.durability, update.patience)?;
        let lock_path = lock.path().to_owned();
        let moved = self.move_under(Ready::Lock(lock), &path, update);
        // A note about a lock that is gone misleads nobody, and the ref has moved.
        let _ = self.unmark(&lock_path);
        moved
    }

    /// Makes ready for a move of a ref to `new`, which goes to disk while the lock of the writers is held.
    ///
    /// The lock of the ref is not taken yet. Call [`WriterLock::give_up`] if the ref is not moved after all.
    pub fn prepare(&mut self, name: &RefName, new: ObjectId) -> Result<(), RefError> {
        let path = name.below(self.repository().common_dir());
        if !self.holds(&path) {
            self.prepared = Some(Prepared::new(self, &path, format!("{new}\n").as_bytes())?);
        }
        Ok(())
    }

    /// Forgets a move that was prepared and not made.
    pub fn give_up(&mut self) {
        if let Some(prepared) = self.prepared.take() {
            // A note about a lock that was never taken misleads nobody.
            let _ = self.unmark(prepared.lock());
        }
    }

    /// Removes the file of a ref that holds no object id, as a power loss leaves one that was not synced.
    pub fn discard_broken(&mut self, name: &RefName) -> Result<(), RefError> {
        match self.repository().read_ref(name) {
            Err(RefError::Broken { path }) => {
                tracing::warn!(%name, "removed a ref that held no object id");
                fs::remove_file(&path).map_err(|source| RefError::Write { path, source })
            }
            found => found.map(drop),
        }
    }

    /// Takes the lock of a ref and keeps it, until [`WriterLock::let_go`]: no git can move the ref meanwhile.
    ///
    /// For a writer that has lost many races. A git that wants the lock waits a tenth of a second, and then fails.
    pub fn hold(&mut self, name: &RefName, patience: Patience) -> Result<(), RefError> {
        let path = name.below(self.repository().common_dir());
        if !self.holds(&path) {
            let lock = LockFile::take(self, &path, b"", Durability::Synced, patience)?;
            self.held = Some((path, lock));
        }
        Ok(())
    }

    /// Gives back what [`WriterLock::hold`] took.
    pub fn let_go(&mut self) {
        if let Some((_, lock)) = self.held.take() {
            let path = lock.path().to_owned();
            drop(lock);
            // A note about a lock that is gone misleads nobody.
            let _ = self.unmark(&path);
        }
    }

    fn holds(&self, path: &Path) -> bool {
        self.held.as_ref().is_some_and(|(held, _)| held == path)
    }

    fn move_under(&mut self, ready: Ready, path: &Path, update: &RefUpdate<'_>) -> Result<Moved, RefError> {
        let RefUpdate { name, expected, new, log, durability, patience } = *update;
        let found = self.repository().read_ref(name)?;
        if found != expected {
            return Err(RefError::Raced { name: name.clone(), expected, found });
        }
        match new {
            _ if new == expected => Ok(Moved::default()),
            Some(id) => {
                if path.is_dir() && remove_empty_dirs(path).is_err() {
                    let other = format!("what is below {}", path.display());
                    return Err(RefError::Conflict { name: name.clone(), other });
                }
                reflog::append(self.repository(), name, expected, id, log)?;
                match ready {
                    Ready::Lock(lock) => lock.rename_to(path)?,
                    Ready::LockTempFile(draft) => draft.rename_to(path, durability)?,
                }
                Ok(Moved::within(path.parent(), durability))
            }
            None => {
                // The packed ref goes first: without the file in front of it, an old value would show.
                packed_refs::forget(self, name, durability, patience)?;
                reflog::remove(self.repository(), name)?;
                let removed = fs::remove_file(path);
                if let Err(source) = removed
                    && path.is_file()
                {
                    return Err(RefError::Write { path: path.to_owned(), source });
                }
                // Before the sync, which would otherwise preserve the lock too.
                drop(ready);
                Moved::within(path.parent(), durability).finish()?;
                prune_empty_parents(path, &self.repository().common_dir().join("refs"));
                Ok(Moved::default())
            }
        }
    }

    /// A ref and a directory of refs cannot have the same name.
    fn check_room(&self, name: &RefName) -> Result<(), RefError> {
        let repo = self.repository();
        let conflict = |other: &[u8]| RefError::Conflict {
            name: name.clone(),
            other: String::from_utf8_lossy(other).into_owned(),
        };
        let packed = repo.packed_refs()?;
        for above in name.ancestors() {
            let Ok(above_name) = RefName::from_bytes(above) else { continue };
            let is_packed = match &packed {
                Some(packed) => repo.find_packed(packed, &above_name)?.is_some(),
                None => false,
            };
            if is_packed || above_name.below(repo.common_dir()).is_file() {
                return Err(conflict(above));
            }
        }
        let below = [name.as_bytes(), b"/"].concat();
        let found = packed
            .iter()
            .filter_map(|packed| packed.iter_prefixed(below.clone().into()).ok())
            .flatten()
            .next();
        match found {
            Some(Ok(entry)) => Err(conflict(entry.name.as_bstr())),
            Some(Err(source)) => Err(RefError::Packed { path: repo.packed_refs_path(), source }),
            None => Ok(()),
        }
    }
}
