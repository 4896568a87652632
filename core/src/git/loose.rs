//! Loose objects, written and synced.
//!
//! gix writes them too, but does not sync, and makes directories that others in a shared repository cannot write to.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::zlib::Compression;

use super::ObjectId;
use super::deflate::Deflater;
use super::durable::{Access, Sharing, create_dirs, create_file, remove_if_there, sync_dirs, sync_files};
use super::error::WriteError;

/// So many files are open at most before they are synced together.
const BATCH: usize = 64;

/// A `git gc --prune=now` removes a draft, or a directory that is still empty; this often it is made again.
const WRITE_ATTEMPTS: usize = 8;

/// Writes loose objects and syncs them together; [`LooseWriter::finish`] must come last.
///
/// Its maker holds the writer's lock.
pub(super) struct LooseWriter {
    objects_dir: PathBuf,
    sharing: Sharing,
    deflater: Deflater,
    pending: Vec<Pending>,
    changed_dirs: BTreeSet<PathBuf>,
}

/// A file whose content is not on disk yet.
struct Pending {
    file: File,
    path: PathBuf,
    /// `None` for what is in its place already.
    draft: Option<Draft>,
}

struct Draft {
    path: PathBuf,
    deflated: Vec<u8>,
}

impl LooseWriter {
    pub(super) fn new(objects_dir: PathBuf, sharing: Sharing, compression: Compression) -> Self {
        let deflater = Deflater::new(compression);
        Self { objects_dir, sharing, deflater, pending: Vec::new(), changed_dirs: BTreeSet::new() }
    }

    /// Writes an object; it is in its place after [`LooseWriter::finish`].
    pub(super) fn write(
        &mut self,
        id: ObjectId,
        kind: gix::objs::Kind,
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        let deflated = self
            .deflate(kind, bytes)
            .map_err(|source| WriteError::Compress { id, source: io::Error::other(source) })?;
        let path = self.path(id);
        // Git removes abandoned files of such a name. There is one writer at a time, so one name will do.
        let draft = Draft { path: path.with_file_name(format!("tmp_obj_postil_{id}")), deflated };
        let file = self.create(&draft)?;
        self.await_sync(Pending { file, path, draft: Some(draft) })
    }

    /// Syncs an object that somebody else left as a loose file, and makes it look new to `git prune`.
    ///
    /// What is in a pack, or in another repository's store, is left alone.
    pub(super) fn settle(&mut self, id: ObjectId, now: SystemTime) -> Result<(), WriteError> {
        let path = self.path(id);
        match File::open(&path) {
            Ok(file) => {
                // Only its owner may do this; whoever is refused still has the check after the ref moved.
                if file.metadata().and_then(|file| file.modified()).is_ok_and(|modified| modified < now) {
                    let _ = file.set_modified(now);
                }
                self.await_sync(Pending { file, path, draft: None })
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(WriteError::File { path, source }),
        }
    }

    /// Waits until all objects, and their names, are on disk, and the content of other files beside them.
    pub(super) fn finish(mut self, beside: &[&File]) -> Result<(), WriteError> {
        self.flush(beside)?;
        if !self.changed_dirs.is_empty() {
            // Whoever made their directories, stock git or a writer that died, may not have waited for the disk.
            self.changed_dirs.insert(self.objects_dir.clone());
        }
        let dirs: Vec<PathBuf> = std::mem::take(&mut self.changed_dirs).into_iter().collect();
        sync_dirs(&dirs).map_err(|(at, source)| WriteError::File { path: dirs[at].clone(), source })
    }

    fn create(&mut self, draft: &Draft) -> Result<File, WriteError> {
        let failed = |source| WriteError::File { path: draft.path.clone(), source };
        let dir = draft.path.parent().unwrap_or(&self.objects_dir);
        let mut attempts = 0;
        loop {
            match create_file(&draft.path, &draft.deflated, Access::ReadOnly, self.sharing) {
                Ok(file) => return Ok(file),
                Err(err) if attempts == WRITE_ATTEMPTS => return Err(failed(err)),
                Err(err) if err.kind() == io::ErrorKind::NotFound => {
                    self.changed_dirs.extend(create_dirs(dir, self.sharing).map_err(failed)?);
                }
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
                    remove_if_there(&draft.path).map_err(failed)?;
                }
                Err(err) => return Err(failed(err)),
            }
            attempts += 1;
        }
    }

    fn await_sync(&mut self, pending: Pending) -> Result<(), WriteError> {
        self.changed_dirs.extend(pending.path.parent().map(Path::to_owned));
        self.pending.push(pending);
        if self.pending.len() < BATCH { Ok(()) } else { self.flush(&[]) }
    }

    /// Content first, name second: a power loss never leaves an empty file in an object's place.
    fn flush(&mut self, beside: &[&File]) -> Result<(), WriteError> {
        let pending = std::mem::take(&mut self.pending);
        let files: Vec<&File> =
            pending.iter().map(|pending| &pending.file).chain(beside.iter().copied()).collect();
        let path = |at: usize| pending.get(at).map_or(&self.objects_dir, |pending| &pending.path).clone();
        sync_files(&files).map_err(|(at, source)| WriteError::File { path: path(at), source })?;
        for Pending { path, draft, .. } in &pending {
            let Some(draft) = draft else { continue };
            let mut attempts = 0;
            while let Err(source) = fs::rename(&draft.path, path) {
                if source.kind() != io::ErrorKind::NotFound || attempts == WRITE_ATTEMPTS {
                    return Err(WriteError::File { path: path.clone(), source });
                }
                attempts += 1;
                let file = self.create(draft)?;
                file.sync_all().map_err(|source| WriteError::File { path: draft.path.clone(), source })?;
            }
        }
        Ok(())
    }

    fn path(&self, id: ObjectId) -> PathBuf {
        path_of(&self.objects_dir, id)
    }

    fn deflate(&mut self, kind: gix::objs::Kind, bytes: &[u8]) -> gix::Result<Vec<u8>> {
        let header = gix::objs::encode::loose_header(kind, bytes.len() as u64);
        self.deflater.deflate(&[&header[..], bytes].concat())
    }
}

/// Where an object would be as a loose file.
pub(super) fn path_of(objects_dir: &Path, id: ObjectId) -> PathBuf {
    let hex = id.to_string();
    let (dir, file) = hex.split_at(2);
    objects_dir.join(dir).join(file)
}
