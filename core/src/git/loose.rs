//! Loose objects, written and synced one by one.
//!
//! gix writes them too, but does not sync, and makes directories that others in a shared repository cannot write to.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::zlib::{Compression, stream::deflate};

use super::ObjectId;
use super::durable::{Access, Durability, Sharing, create_dirs, create_file, sync_dir};
use super::error::WriteError;

/// Writes and syncs loose objects; [`LooseWriter::finish`] syncs the directories, each once.
pub(super) struct LooseWriter {
    objects_dir: PathBuf,
    sharing: Sharing,
    compression: Compression,
    changed_dirs: BTreeSet<PathBuf>,
    drafts: usize,
}

impl LooseWriter {
    pub(super) fn new(objects_dir: PathBuf, sharing: Sharing, compression: Compression) -> Self {
        Self { objects_dir, sharing, compression, changed_dirs: BTreeSet::new(), drafts: 0 }
    }

    /// Writes an object and waits until its content is on disk.
    pub(super) fn write(
        &mut self,
        id: ObjectId,
        kind: gix::objs::Kind,
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        let deflated = self.deflate(kind, bytes).map_err(|source| WriteError::Compress { id, source })?;
        let path = self.path(id);
        let dir = path.parent().unwrap_or(&self.objects_dir).to_owned();
        let failed = |source| WriteError::File { path: path.clone(), source };
        let draft = loop {
            // Git removes abandoned files of this name. The process id keeps living writers apart.
            let draft = dir.join(format!("tmp_obj_postil_{}_{}", std::process::id(), self.drafts));
            match create_file(&draft, &deflated, Access::ReadOnly, self.sharing, Durability::Synced) {
                Ok(_) => break draft,
                Err(err) if err.kind() == io::ErrorKind::NotFound => {
                    self.changed_dirs.extend(create_dirs(&dir, self.sharing).map_err(failed)?);
                }
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => self.drafts += 1,
                Err(err) => return Err(failed(err)),
            }
        };
        fs::rename(&draft, &path).map_err(failed)?;
        self.changed_dirs.insert(dir);
        Ok(())
    }

    /// Syncs an object that somebody else left as a loose file, and makes it look new to `git prune`.
    ///
    /// Returns `false` if there is no such file: the object is in a pack, or in another repository's store.
    pub(super) fn settle(&mut self, id: ObjectId, now: SystemTime) -> Result<bool, WriteError> {
        let path = self.path(id);
        let failed = |source| WriteError::File { path: path.clone(), source };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(err) => return Err(failed(err)),
        };
        // Only its owner may do this; whoever is refused still has the check after the ref moved.
        if file.metadata().and_then(|file| file.modified()).is_ok_and(|modified| modified < now) {
            let _ = file.set_modified(now);
        }
        file.sync_all().map_err(failed)?;
        if let Some(dir) = path.parent() {
            self.changed_dirs.insert(dir.to_owned());
        }
        Ok(true)
    }

    /// Waits until the names of all objects are on disk.
    pub(super) fn finish(self) -> Result<(), WriteError> {
        for path in self.changed_dirs {
            sync_dir(&path).map_err(|source| WriteError::File { path, source })?;
        }
        Ok(())
    }

    fn path(&self, id: ObjectId) -> PathBuf {
        path_of(&self.objects_dir, id)
    }

    fn deflate(&self, kind: gix::objs::Kind, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = deflate::Write::new(Vec::new(), self.compression);
        out.write_all(&gix::objs::encode::loose_header(kind, bytes.len() as u64))?;
        out.write_all(bytes)?;
        out.flush()?;
        Ok(out.into_inner())
    }
}

/// Where an object would be as a loose file.
fn path_of(objects_dir: &Path, id: ObjectId) -> PathBuf {
    let hex = id.to_string();
    let (dir, file) = hex.split_at(2);
    objects_dir.join(dir).join(file)
}
