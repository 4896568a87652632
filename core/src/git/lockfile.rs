//! A lock file as git makes them: `<file>.lock`, made by whoever is first.
//!
//! A writer notes the file before it becomes the lock, so that no moment of its death leaves a lock that nobody may
//! remove. What the lock protects, and what is done under it, is the caller's business.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Patience;
use super::durable::{Access, Durability, create_dirs, create_file, remove_if_there};
use super::error::RefError;
use super::writer::WriterLock;

/// Git removes directories that became empty, perhaps just the one made here; this often it is made again.
const DIRECTORY_ATTEMPTS: usize = 8;

/// A lock that is held. Dropping it without [`LockFile::rename_to`] gives it back.
#[derive(Debug)]
pub(super) struct LockFile {
    path: PathBuf,
    /// Directories that got a new entry when the lock's own directory was made.
    pub(super) changed_dirs: Vec<PathBuf>,
    held: bool,
}

impl LockFile {
    /// Makes `<resource>.lock` with `content` in it, once nobody else holds it.
    pub(super) fn take(
        writer: &mut WriterLock<'_>,
        resource: &Path,
        content: &[u8],
        durability: Durability,
        patience: Patience,
    ) -> Result<Self, RefError> {
        let mut name = resource.as_os_str().to_owned();
        name.push(".lock");
        let mut lock = Self { path: name.into(), changed_dirs: Vec::new(), held: false };
        let draft = Draft::new(writer, content, durability)?;
        let metadata = fs::metadata(&draft.path).map_err(draft.failed())?;
        writer.mark(&lock.path, &metadata, durability)?;

        let mut waiting = patience.begin();
        let mut attempts = 0;
        loop {
            match fs::hard_link(&draft.path, &lock.path) {
                Ok(()) => lock.held = true,
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
                Err(err) if err.kind() == io::ErrorKind::NotFound && attempts < DIRECTORY_ATTEMPTS => {
                    attempts += 1;
                    lock.make_directory(writer)?;
                    continue;
                }
                // Not every file system has hard links; then a death between the next two lines leaves a lock behind.
                Err(_) => {
                    lock.held = lock.create(writer, content, durability)?;
                }
            }
            if lock.held {
                return Ok(lock);
            }
            let path = lock.path.clone();
            waiting.pause().map_err(|waited| RefError::Locked { path, waited })?;
        }
    }

    /// Moves the lock file over the file it locks, and gives it back by that.
    pub(super) fn rename_to(mut self, target: &Path) -> Result<Vec<PathBuf>, RefError> {
        fs::rename(&self.path, target)
            .map_err(|source| RefError::Write { path: target.to_owned(), source })?;
        self.held = false;
        Ok(std::mem::take(&mut self.changed_dirs))
    }

    /// The lock file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn make_directory(&mut self, writer: &WriterLock<'_>) -> Result<(), RefError> {
        let dir = self.path.parent().unwrap_or(&self.path);
        let made = create_dirs(dir, writer.repository().sharing());
        let made = made.map_err(|source| RefError::Write { path: dir.to_owned(), source })?;
        self.changed_dirs.extend(made);
        Ok(())
    }

    /// Returns `false` if somebody else was faster.
    fn create(
        &self,
        writer: &mut WriterLock<'_>,
        content: &[u8],
        durability: Durability,
    ) -> Result<bool, RefError> {
        let sharing = writer.repository().sharing();
        let failed = |source| RefError::Write { path: self.path.clone(), source };
        match create_file(&self.path, content, Access::ReadWrite, sharing, durability) {
            Ok(file) => {
                let metadata = file.metadata().map_err(failed)?;
                writer.mark(&self.path, &metadata, durability)?;
                Ok(true)
            }
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(err) => Err(failed(err)),
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.held {
            // Nothing more can be done here; the note lets the next writer do it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file that becomes the lock; its own name goes away in any case.
struct Draft {
    path: PathBuf,
}

impl Draft {
    fn new(writer: &WriterLock<'_>, content: &[u8], durability: Durability) -> Result<Self, RefError> {
        let draft = Self { path: writer.dir().join("lock.new") };
        remove_if_there(&draft.path).map_err(draft.failed())?;
        let sharing = writer.repository().sharing();
        create_file(&draft.path, content, Access::ReadWrite, sharing, durability).map_err(draft.failed())?;
        Ok(draft)
    }

    fn failed(&self) -> impl FnOnce(io::Error) -> RefError {
        let path = self.path.clone();
        |source| RefError::Write { path, source }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // The next draft removes it if this does not.
        let _ = fs::remove_file(&self.path);
    }
}
