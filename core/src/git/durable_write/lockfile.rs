//! A lock file as git makes them: `<file>.lock`, created by the first process that wants it.
//!
//! A writer notes the file before it becomes the lock. So whenever it is killed, the next writer knows that the lock
//! may be removed. What the lock protects is the caller's business.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::durable_files::{
    Access, Durability, begin_sync_files, create_dirs, create_file, remove_if_there, sync_dirs, sync_files,
};
use super::sync_pool::PendingSync;
use super::writer_lock::WriterLock;
use crate::git::Patience;
use crate::git::error::RefError;

/// Git removes directories that became empty, perhaps just the one made here; this often it is made again.
const DIRECTORY_ATTEMPTS: usize = 8;

/// A lock that is held. Dropping it without [`LockFile::rename_to`] gives it back.
#[derive(Debug)]
pub(super) struct LockFile {
    path: PathBuf,
    held: bool,
}

impl LockFile {
    /// Makes `<resource>.lock` with `content` in it, as soon as no other process holds it.
    pub(super) fn take(
        writer: &mut WriterLock<'_>,
        resource: &Path,
        content: &[u8],
        durability: Durability,
        patience: Patience,
    ) -> Result<Self, RefError> {
        let mut name = resource.as_os_str().to_owned();
        name.push(".lock");
        let mut lock = Self { path: name.into(), held: false };
        let prepared = writer.prepared.take().filter(|prepared| prepared.is_for(&lock.path, content));
        let draft = match prepared {
            Some(prepared) => prepared.on_disk(writer)?,
            None => {
                let draft = LockTempFile::new(writer, content)?;
                lock.note(writer, &draft.file, durability)?;
                draft
            }
        };
        match lock.link(writer, &draft, content, durability, patience) {
            Ok(()) => Ok(lock),
            Err(err) => {
                // A note about a lock that was never taken misleads nobody; the first failure is the one to tell.
                let _ = writer.unmark(&lock.path);
                Err(err)
            }
        }
    }

    fn link(
        &mut self,
        writer: &mut WriterLock<'_>,
        draft: &LockTempFile,
        content: &[u8],
        durability: Durability,
        patience: Patience,
    ) -> Result<(), RefError> {
        let mut waiting = patience.begin();
        let mut attempts = 0;
        while !self.held {
            match fs::hard_link(&draft.path, &self.path) {
                Ok(()) => self.held = true,
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
                Err(err) if err.kind() == io::ErrorKind::NotFound && attempts < DIRECTORY_ATTEMPTS => {
                    attempts += 1;
                    self.make_directory(writer)?;
                    continue;
                }
                // Not every file system has hard links. Without them, a death before the note leaves a lock behind.
                Err(err) if has_no_links(&err) => self.held = self.create(writer, content, durability)?,
                Err(source) => return Err(RefError::Write { path: self.path.clone(), source }),
            }
            if !self.held {
                let path = &self.path;
                waiting.pause().map_err(|waited| RefError::Locked { path: path.clone(), waited })?;
            }
        }
        Ok(())
    }

    /// Moves the lock file over the file it locks, and gives it back by that.
    pub(super) fn rename_to(mut self, target: &Path) -> Result<(), RefError> {
        fs::rename(&self.path, target)
            .map_err(|source| RefError::Write { path: target.to_owned(), source })?;
        self.held = false;
        Ok(())
    }

    /// The lock file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the directory that the lock is to be in, and always waits until it is on disk: the first ref in a
    /// directory may be one that need not be synced, and the second one that must.
    fn make_directory(&self, writer: &WriterLock<'_>) -> Result<(), RefError> {
        let dir = self.path.parent().unwrap_or(&self.path);
        let made = create_dirs(dir, writer.repository().sharing());
        let synced = made.and_then(|changed| sync_dirs(&changed).map_err(|(_, source)| source));
        synced.map_err(|source| RefError::Write { path: dir.to_owned(), source })
    }

    /// Notes that `file` is, or will be, the lock, and waits until both are on disk.
    fn note(&self, writer: &mut WriterLock<'_>, file: &File, durability: Durability) -> Result<(), RefError> {
        let failed = |source| RefError::Write { path: self.path.clone(), source };
        let metadata = file.metadata().map_err(failed)?;
        writer.mark(&self.path, &metadata)?;
        match durability {
            Durability::Synced => sync_files(&[file, writer.note()]).map_err(failed),
            Durability::Relaxed => Ok(()),
        }
    }

    /// Returns `false` if another process was faster.
    fn create(
        &self,
        writer: &mut WriterLock<'_>,
        content: &[u8],
        durability: Durability,
    ) -> Result<bool, RefError> {
        match create_file(&self.path, content, Access::ReadWrite, writer.repository().sharing()) {
            Ok(file) => match self.note(writer, &file, durability) {
                Ok(()) => Ok(true),
                Err(err) => {
                    let _ = fs::remove_file(&self.path);
                    Err(err)
                }
            },
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(RefError::Write { path: self.path.clone(), source }),
        }
    }
}

/// Whether the file system does not support hard links; a full or broken disk does not count.
fn has_no_links(err: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, TooManyLinks, Unsupported};
    matches!(err.kind(), PermissionDenied | Unsupported | TooManyLinks | CrossesDevices)
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.held {
            // Nothing more can be done here; the note lets the next writer do it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A lock that will be taken once other things are on disk, and goes there together with them.
///
/// Waiting for the disk once takes half as long as waiting twice.
#[derive(Debug)]
pub(super) struct Prepared {
    lock: PathBuf,
    content: Vec<u8>,
    draft: LockTempFile,
    syncing: PendingSync,
    note_number: usize,
}

impl Prepared {
    /// Notes that `<resource>.lock` will be taken with `content` in it, and begins to put that on disk.
    pub(in crate::git) fn new(
        writer: &mut WriterLock<'_>,
        resource: &Path,
        content: &[u8],
    ) -> Result<Self, RefError> {
        let mut lock = resource.as_os_str().to_owned();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        let draft = LockTempFile::named("lock.next", writer, content)?;
        let failed = |source| RefError::Write { path: draft.path.clone(), source };
        let metadata = draft.file.metadata().map_err(failed)?;
        writer.mark(&lock, &metadata)?;
        let syncing = begin_sync_files(&[&draft.file, writer.note()]).map_err(failed)?;
        Ok(Self { lock, content: content.to_vec(), draft, syncing, note_number: writer.note_number() })
    }

    /// The lock that is to be taken.
    pub(super) fn lock(&self) -> &Path {
        &self.lock
    }

    fn is_for(&self, lock: &Path, content: &[u8]) -> bool {
        self.lock == lock && self.content == content
    }

    /// Waits until the file that becomes the lock, and the note about it, are on disk.
    fn on_disk(self, writer: &WriterLock<'_>) -> Result<LockTempFile, RefError> {
        let Self { draft, syncing, note_number, .. } = self;
        let synced = syncing.finish().map_err(|(_, source)| source);
        // A pack that was written meanwhile has its line in the note as well.
        let again = note_number != writer.note_number();
        match synced.and_then(|()| if again { writer.note().sync_all() } else { Ok(()) }) {
            Ok(()) => Ok(draft),
            Err(source) => Err(RefError::Write { path: draft.path.clone(), source }),
        }
    }
}

/// A file that becomes a lock, or the value of a ref whose lock is held; its own name goes away in any case.
#[derive(Debug)]
pub(super) struct LockTempFile {
    path: PathBuf,
    file: File,
}

impl LockTempFile {
    /// Moves the file over `target`, and waits before that until it is on disk.
    pub(super) fn rename_to(&self, target: &Path, durability: Durability) -> Result<(), RefError> {
        let synced = if durability == Durability::Synced { self.file.sync_all() } else { Ok(()) };
        synced
            .and_then(|()| fs::rename(&self.path, target))
            .map_err(|source| RefError::Write { path: target.to_owned(), source })
    }

    pub(in crate::git) fn new(writer: &WriterLock<'_>, content: &[u8]) -> Result<Self, RefError> {
        Self::named("lock.new", writer, content)
    }

    fn named(name: &str, writer: &WriterLock<'_>, content: &[u8]) -> Result<Self, RefError> {
        let path = writer.dir().join(name);
        let made = remove_if_there(&path)
            .and_then(|()| create_file(&path, content, Access::ReadWrite, writer.repository().sharing()));
        match made {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(RefError::Write { path, source }),
        }
    }
}

impl Drop for LockTempFile {
    fn drop(&mut self) {
        // The next draft removes it if this does not.
        let _ = fs::remove_file(&self.path);
    }
}
