//! The lock that makes a process the only postil writer of a repository.
//!
//! An OS lock on `<common dir>/postil/writer`: it ends with the process, however that ends. The file's content notes
//! the lock and keep files that the writer leaves lying around while it works. The next writer that finds one of them
//! knows that its maker is dead, and removes it. Files that no writer noted belong to other programs, and stay.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::durable_files::{create_dirs, sync_dirs};
use super::lockfile::{LockFile, Prepared};
use super::patience::LockWait;
use crate::git::error::RefError;
use crate::git::{Patience, Repository};

/// The note is written in whole blocks of this size, so that syncing it changes no file size.
const NOTE_BLOCK: usize = 512;

/// The right to move refs, held by one writer of a repository at a time.
///
/// Dropping it, or the end of the process, lets the next one in.
#[derive(Debug)]
pub struct WriterLock<'repo> {
    repo: &'repo Repository,
    /// A ref and its lock.
    pub(super) held: Option<(PathBuf, LockFile)>,
    /// The lock that will be taken next, as soon as the ref's new objects are on disk.
    pub(super) prepared: Option<Prepared>,
    file: File,
    path: PathBuf,
    marks: Vec<NotedFile>,
    /// How often the note was written.
    saved: usize,
}

impl<'repo> WriterLock<'repo> {
    /// Waits for the other writers of `repo`, then removes what dead ones left.
    pub fn acquire(repo: &'repo Repository, patience: Patience) -> Result<Self, RefError> {
        let mut waiting = patience.begin();
        // First into the line: a writer that comes back at once cannot pass those who wait already.
        let turn = lock(repo, &repo.common_dir().join("postil").join("turn"), &mut waiting)?;
        let path = repo.common_dir().join("postil").join("writer");
        let file = lock(repo, &path, &mut waiting);
        unlock(&turn);
        let file = file?;
        let mut writer = Self { repo, held: None, prepared: None, file, path, marks: Vec::new(), saved: 0 };
        writer.remove_files_of_dead_writers()?;
        Ok(writer)
    }

    /// The repository this is the writer of.
    pub fn repository(&self) -> &'repo Repository {
        self.repo
    }

    /// Where files are made before they are moved into place.
    pub(super) fn dir(&self) -> PathBuf {
        self.repo.common_dir().join("postil")
    }

    /// Notes that the file at `path`, which may not be there yet, is this writer's.
    ///
    /// The note is not synced; [`WriterLock::note`] is the file to sync.
    pub(super) fn mark(&mut self, path: &Path, file: &Metadata) -> Result<(), RefError> {
        let common_dir = self.repo.common_dir();
        let path = path.strip_prefix(common_dir).unwrap_or(path).to_owned();
        self.marks.retain(|mark| mark.path != path);
        self.marks.push(NotedFile { identity: FileIdentity::of(file), path });
        self.save()
    }

    /// The file that holds the note.
    pub(super) fn note(&self) -> &File {
        &self.file
    }

    /// Which note it is that the file holds.
    pub(super) fn note_number(&self) -> usize {
        self.saved
    }

    /// Forgets what was noted about `path`, unless the file is still there: then the next writer has to remove it.
    pub(super) fn unmark(&mut self, path: &Path) -> Result<(), RefError> {
        let common_dir = self.repo.common_dir();
        let path = path.strip_prefix(common_dir).unwrap_or(path);
        self.marks.retain(|mark| mark.path != path || mark.is_there(common_dir));
        self.save()
    }

    fn save(&mut self) -> Result<(), RefError> {
        self.saved += 1;
        let mut note: Vec<u8> = self.marks.iter().flat_map(NotedFile::to_line).collect();
        let saved = (|| {
            let old_len = usize::try_from(self.file.metadata()?.len()).unwrap_or(0);
            note.resize(note.len().next_multiple_of(NOTE_BLOCK).max(NOTE_BLOCK).max(old_len), b'\n');
            self.file.rewind()?;
            self.file.write_all(&note)
        })();
        saved.map_err(|source| RefError::Write { path: self.path.clone(), source })
    }

    fn remove_files_of_dead_writers(&mut self) -> Result<(), RefError> {
        let mut note = Vec::new();
        let read = self.file.read_to_end(&mut note);
        read.map_err(|source| RefError::Read { path: self.path.clone(), source })?;
        let marks: Vec<NotedFile> =
            note.split(|byte| *byte == b'\n').filter_map(NotedFile::from_line).collect();
        for mark in &marks {
            if mark.is_there(self.repo.common_dir()) {
                let path = self.repo.common_dir().join(&mark.path);
                tracing::warn!(path = %path.display(), "removed what a dead writer left");
                fs::remove_file(&path).map_err(|source| RefError::Write { path, source })?;
            }
        }
        if marks.is_empty() { Ok(()) } else { self.save() }
    }
}

impl Drop for WriterLock<'_> {
    fn drop(&mut self) {
        // While nobody else is the writer: the next one makes files of the same names.
        self.give_up();
        self.let_go();
        unlock(&self.file);
    }
}

/// A file that its writer will remove or rename.
#[derive(Debug, PartialEq)]
struct NotedFile {
    identity: FileIdentity,
    /// From the common directory.
    path: PathBuf,
}

impl NotedFile {
    /// Whether the very file that was noted has its name still.
    fn is_there(&self, common_dir: &Path) -> bool {
        let found = fs::symlink_metadata(common_dir.join(&self.path));
        found.is_ok_and(|file| FileIdentity::of(&file) == self.identity)
    }

    fn to_line(&self) -> Vec<u8> {
        let mut line = format!("{} {} ", self.identity.inode, self.identity.modified).into_bytes();
        line.extend_from_slice(gix::path::os_str_into_bstr(self.path.as_os_str()).unwrap_or_default());
        line.push(b'\n');
        line
    }

    /// Anything that no writer would have noted is passed over.
    fn from_line(line: &[u8]) -> Option<Self> {
        let mut parts = line.splitn(3, |byte| *byte == b' ');
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse::<u128>().ok();
        let (inode, modified) = (u64::try_from(number()?).ok()?, number()?);
        let path = gix::path::from_bstr(gix::bstr::BStr::new(parts.next()?)).ok()?.into_owned();
        let temporary = path.extension().is_some_and(|ext| ext == "lock" || ext == "keep");
        temporary.then_some(Self { identity: FileIdentity { inode, modified }, path })
    }
}

/// Identifies a file, even if another one later has its name or its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    inode: u64,
    /// Nanoseconds of the Unix era. A freed inode is soon given to the next file, so that it alone proves nothing.
    modified: u128,
}

impl FileIdentity {
    fn of(file: &Metadata) -> Self {
        let since_epoch = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self { inode: inode(file), modified: since_epoch.map_or(0, |time| time.as_nanos()) }
    }
}

#[cfg(unix)]
fn inode(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

/// The time of modification and the name have to do.
#[cfg(not(unix))]
fn inode(_file: &Metadata) -> u64 {
    0
}

/// Locks the file at `path`, which is made if it is not there.
fn lock(repo: &Repository, path: &Path, waiting: &mut LockWait) -> Result<File, RefError> {
    let failed = |source| RefError::Write { path: path.to_owned(), source };
    loop {
        let file = open(path, repo).map_err(failed)?;
        match file.try_lock() {
            // A file that was removed meanwhile locks nobody out.
            Ok(()) if is_still_at(&file, path) => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        waiting.pause().map_err(|waited| RefError::Busy { path: path.to_owned(), waited })?;
    }
}

/// Closing the file is not enough: a process that another thread is just starting has it open for a moment longer.
fn unlock(file: &File) {
    // What cannot be unlocked is closed all the same.
    let _ = file.unlock();
}

fn open(path: &Path, repo: &Repository) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            let dir = path.parent().unwrap_or(path);
            let mut changed = create_dirs(dir, repo.sharing())?;
            let file = options.create(true).truncate(false).open(path)?;
            repo.sharing().apply(path)?;
            // After a power loss, a lock without its note would be taken for somebody else's.
            changed.push(dir.to_owned());
            sync_dirs(&changed).map_err(|(_, source)| source)?;
            Ok(file)
        }
        other => other,
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => inode(&open) == inode(&there),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_survives_its_line() {
        let mark = NotedFile {
            identity: FileIdentity { inode: 42, modified: 1_700_000_000_123_456_789 },
            path: PathBuf::from("refs/notes/with space.lock"),
        };
        let line = mark.to_line();
        assert_eq!(NotedFile::from_line(line.strip_suffix(b"\n").unwrap()), Some(mark));
    }

    #[test]
    fn a_line_that_no_writer_wrote_marks_nothing() {
        for line in [
            &b""[..],
            b"garbage",
            b"1 2",
            b"1 2 refs/heads/main",
            b"x 2 refs/notes/reviews.lock",
            b"99999999999999999999999 2 refs/notes/reviews.lock",
        ] {
            assert_eq!(NotedFile::from_line(line), None, "{:?}", String::from_utf8_lossy(line));
        }
    }
}
