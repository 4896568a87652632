//! Loose objects, written and synced.
//!
//! gix writes them too, but does not sync, and makes directories that others in a shared repository cannot write to.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::zlib::Compression;

use super::deflate::deflate;
use super::durable_files::{
    Access, Sharing, begin_sync_dir, create_dirs, create_file, remove_if_there, sync_dir,
};
use super::kept_objects::KeptObjects;
use super::sync_pool::PendingSync;
use crate::git::error::WriteError;
use crate::git::{ObjectId, Repository};

/// The most files that are open before the writer waits for them.
const BATCH: usize = 64;

/// A larger file that is there already gets no second name: it is file content, which commits of the code refer to.
const MAX_KEPT_BYTES: u64 = 8 << 20;

/// A `git gc --prune=now` removes a draft, or a directory that is still empty; this often it is made again.
const WRITE_ATTEMPTS: usize = 8;

/// Writes loose objects, each of which goes to disk while the next one is made; [`LooseWriter::finish`] must come last.
///
/// Its maker holds the writer's lock.
pub(super) struct LooseWriter {
    objects_dir: PathBuf,
    sharing: Sharing,
    compression: Compression,
    kept: KeptObjects,
    kept_ids: Vec<ObjectId>,
    pending: Vec<(PathBuf, PendingSync)>,
    is_changed: bool,
}

impl LooseWriter {
    pub(in crate::git) fn new(repo: &Repository, compression: Compression) -> Self {
        Self {
            objects_dir: repo.objects_dir(),
            sharing: repo.sharing(),
            compression,
            kept: KeptObjects::of(repo),
            kept_ids: Vec::new(),
            pending: Vec::new(),
            is_changed: false,
        }
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
        let draft = LooseTempFile {
            path: path.with_file_name(format!("tmp_obj_postil_{id}")),
            deflated,
            sharing: self.sharing,
            id,
            kept: self.kept.clone(),
        };
        let file = draft.create().map_err(|source| WriteError::File { path: draft.path.clone(), source })?;
        self.kept_ids.push(id);
        self.begin(path.clone(), move || draft.put_in_place(file, &path))
    }

    /// Syncs a loose object that is already there, and makes it look new to `git prune`.
    ///
    /// What is in a pack, or in another repository's store, is left alone.
    pub(super) fn sync_existing(&mut self, id: ObjectId, now: SystemTime) -> Result<(), WriteError> {
        let path = self.path(id);
        match File::open(&path) {
            Ok(file) => {
                // Only its owner may do this; whoever is refused still has the check after the ref moved.
                let found =
                    file.metadata().map_err(|source| WriteError::File { path: path.clone(), source })?;
                if found.modified().is_ok_and(|modified| modified < now) {
                    let _ = file.set_modified(now);
                }
                if found.len() <= MAX_KEPT_BYTES {
                    // One that is gone already is found missing after the ref moved.
                    keep(&self.kept, id, &path).or_else(|err| match err.kind() {
                        io::ErrorKind::NotFound => Ok(()),
                        _ => Err(WriteError::File { path: path.clone(), source: err }),
                    })?;
                    self.kept_ids.push(id);
                }
                self.begin(path.clone(), move || {
                    file.sync_all()?;
                    sync_parent(&path)
                })
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(WriteError::File { path, source }),
        }
    }

    /// Waits until all objects, and their names, are on disk; returns those that are kept.
    pub(super) fn finish(mut self) -> Result<Vec<ObjectId>, WriteError> {
        if self.is_changed {
            // Whoever made their directories, stock git or a writer that died, may not have waited for the disk.
            let dir = self.objects_dir.clone();
            self.pending.push((dir.clone(), begin_sync_dir(dir)));
        }
        self.wait()?;
        Ok(self.kept_ids)
    }

    fn begin(
        &mut self,
        path: PathBuf,
        work: impl FnOnce() -> io::Result<()> + Send + 'static,
    ) -> Result<(), WriteError> {
        self.is_changed = true;
        self.pending.push((path, PendingSync::begin([work])));
        if self.pending.len() < BATCH { Ok(()) } else { self.wait() }
    }

    /// For all of them, whichever fails.
    fn wait(&mut self) -> Result<(), WriteError> {
        let mut all = Ok(());
        for (path, waiting) in self.pending.drain(..) {
            all = all.and(waiting.finish().map_err(|(_, source)| WriteError::File { path, source }));
        }
        all
    }

    fn path(&self, id: ObjectId) -> PathBuf {
        path_of(&self.objects_dir, id)
    }

    fn deflate(&self, kind: gix::objs::Kind, bytes: &[u8]) -> gix::Result<Vec<u8>> {
        let header = gix::objs::encode::loose_header(kind, bytes.len() as u64);
        deflate(&[&header[..], bytes].concat(), self.compression)
    }
}

/// An object that is not in its place yet.
struct LooseTempFile {
    path: PathBuf,
    deflated: Vec<u8>,
    sharing: Sharing,
    id: ObjectId,
    kept: KeptObjects,
}

impl LooseTempFile {
    fn create(&self) -> io::Result<File> {
        let dir = self.path.parent().unwrap_or(&self.path);
        let mut attempts = 0;
        loop {
            match create_file(&self.path, &self.deflated, Access::ReadOnly, self.sharing) {
                Err(err) if attempts == WRITE_ATTEMPTS => return Err(err),
                Err(err) if err.kind() == io::ErrorKind::NotFound => drop(create_dirs(dir, self.sharing)?),
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => remove_if_there(&self.path)?,
                made => return made,
            }
            attempts += 1;
        }
    }

    /// Content first, name second: a power loss never leaves an empty file in an object's place.
    fn put_in_place(&self, mut file: File, path: &Path) -> io::Result<()> {
        let mut attempts = 0;
        loop {
            file.sync_all()?;
            // Before it is in its place: from then on a `git prune` may remove it at any time.
            match keep(&self.kept, self.id, &self.path).and_then(|()| fs::rename(&self.path, path)) {
                Err(err) if err.kind() == io::ErrorKind::NotFound && attempts < WRITE_ATTEMPTS => {
                    file = self.create()?;
                }
                renamed => break renamed?,
            }
            attempts += 1;
        }
        sync_parent(path)
    }
}

/// Gives an object a second name. Without one it is as safe as git's own, and no reason to refuse a write.
fn keep(kept: &KeptObjects, id: ObjectId, file: &Path) -> io::Result<()> {
    kept.keep(id, file).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::StorageFull => Err(error),
        _ => {
            tracing::warn!(%id, %error, "could not keep an object from `git prune`");
            Ok(())
        }
    })
}

fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_dir)
}

/// Where an object would be as a loose file.
pub(in crate::git) fn path_of(objects_dir: &Path, id: ObjectId) -> PathBuf {
    let hex = id.to_string();
    let (dir, file) = hex.split_at(2);
    objects_dir.join(dir).join(file)
}
