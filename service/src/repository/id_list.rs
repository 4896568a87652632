//! Lists of records that are kept in a repository's git directory and are never shared: what was written on this
//! machine, what its person has read.
//!
//! One file of 16 bytes for each id, the newest last. Writers take turns by an OS lock on the file, and whoever died in
//! the middle of an id leaves a rest that the next one cuts off. It is not synced: a crash costs the last ids. An id is
//! the hash of its record, so that a list cannot stand for other words.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use postil_core::record::RecordId;

/// With more than this many, the older half of what was written here is forgotten: it is less trusted then.
const MAX_WRITTEN: usize = 65_536;

/// The same for what was read, which is then unread again; a file of 16 MiB.
const MAX_READ: usize = 1 << 20;

/// So often the file is opened again because another process replaced it meanwhile.
const MAX_LOOKS: usize = 8;

/// What tells whether the file is still the one that was read: which file it is, its length and its time.
type FileMark = (u64, u64, i64, i64);

/// A local list of records.
#[derive(Debug)]
pub(crate) struct IdList {
    file: PathBuf,
    most: usize,
    known: Mutex<Option<(FileMark, Arc<HashSet<RecordId>>)>>,
}

impl IdList {
    /// The records that were written in a repository on this machine.
    pub fn written_here(common_dir: &Path) -> Self {
        Self::new(common_dir, "here", MAX_WRITTEN)
    }

    /// The records of others that the person of this repository has read.
    pub fn read_here(common_dir: &Path) -> Self {
        Self::new(common_dir, "read", MAX_READ)
    }

    fn new(common_dir: &Path, name: &str, most: usize) -> Self {
        Self { file: common_dir.join("postil").join(name), most, known: Mutex::default() }
    }

    /// All of them; those of a file that cannot be read are none.
    pub fn ids(&self) -> Arc<HashSet<RecordId>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(mark) = fs::metadata(&self.file).map(|file| mark(&file)) else { return Arc::default() };
        if let Some((read, ids)) = &*known
            && *read == mark
        {
            return ids.clone();
        }
        let bytes = fs::read(&self.file).unwrap_or_default();
        let ids: Arc<HashSet<RecordId>> =
            Arc::new(bytes.chunks_exact(RecordId::LEN).filter_map(RecordId::from_bytes).collect());
        *known = Some((mark, ids.clone()));
        ids
    }

    /// Adds some; whether that works changes nothing else.
    pub fn add(&self, ids: &[RecordId]) {
        if let Err(error) = self.append(ids) {
            tracing::debug!(%error, file = %self.file.display(), "could not add to a local list");
        }
    }

    /// Adds some, for a caller that wants to know whether that worked.
    pub fn append(&self, ids: &[RecordId]) -> io::Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut file = self.locked()?;
        let length = file.metadata()?.len();
        let rest = length % RecordId::LEN as u64;
        if rest != 0 {
            file.set_len(length - rest)?;
        }
        let more: Vec<u8> = ids.iter().flat_map(|id| *id.as_bytes()).collect();
        if length + more.len() as u64 <= (self.most * RecordId::LEN) as u64 {
            return file.write_all(&more);
        }
        // The rest of a dead writer was cut off above.
        let old = fs::read(&self.file)?;
        let half = old.len() / RecordId::LEN / 2 * RecordId::LEN;
        let new = self.file.with_extension("new");
        fs::write(&new, [&old[old.len() - half..], &more].concat())?;
        fs::rename(&new, &self.file)
    }

    /// The file, which nobody else changes until it is dropped.
    fn locked(&self) -> io::Result<File> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        for _ in 0..MAX_LOOKS {
            let file = OpenOptions::new().read(true).append(true).create(true).open(&self.file)?;
            file.lock()?;
            // Whoever had the lock before may have put another file in its place.
            if fs::metadata(&self.file)
                .is_ok_and(|now| file.metadata().is_ok_and(|own| own.ino() == now.ino()))
            {
                return Ok(file);
            }
        }
        Err(io::Error::other("the file is replaced all the time"))
    }
}

fn mark(file: &fs::Metadata) -> FileMark {
    (file.ino(), file.len(), file.mtime(), file.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn id(number: u32) -> RecordId {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        RecordId::from_array(bytes)
    }

    #[test]
    fn another_process_knows_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let here = IdList::written_here(dir.path());
        assert!(here.ids().is_empty());
        here.add(&[id(1), id(2)]);
        here.add(&[id(3)]);
        for list in [&here, &IdList::written_here(dir.path())] {
            assert_eq!(*list.ids(), HashSet::from([id(1), id(2), id(3)]));
        }
    }

    #[test]
    fn what_a_dead_writer_left_costs_its_own_id_alone() {
        let dir = tempfile::tempdir().unwrap();
        let here = IdList::written_here(dir.path());
        here.add(&[id(1), id(2)]);
        let file = dir.path().join("postil/here");
        for cut in 1..16 {
            let whole = fs::read(&file).unwrap();
            fs::write(&file, &whole[..whole.len() - cut]).unwrap();
            here.add(&[id(2)]);
            assert_eq!(*here.ids(), HashSet::from([id(1), id(2)]), "{cut}");
            assert_eq!(fs::read(&file).unwrap().len(), 32);
        }
    }

    #[test]
    fn many_writers_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for writer in 0..4_u32 {
                let dir = dir.path();
                scope.spawn(move || {
                    let here = IdList::written_here(dir);
                    (0..50).for_each(|nth| here.add(&[id(writer * 1000 + nth)]));
                });
            }
        });
        assert_eq!(IdList::written_here(dir.path()).ids().len(), 200);
    }

    #[test]
    fn the_list_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let here = IdList::written_here(dir.path());
        let all: Vec<RecordId> = (0..u32::try_from(MAX_WRITTEN).unwrap()).map(id).collect();
        here.add(&all);
        here.add(&[id(u32::MAX)]);
        let ids = here.ids();
        assert_eq!(ids.len(), MAX_WRITTEN / 2 + 1);
        assert!(ids.contains(&id(u32::MAX)) && ids.contains(all.last().unwrap()) && !ids.contains(&all[0]));
    }
}
