//! Reads the blobs of many notes, on several threads.

use std::num::NonZeroUsize;

use gix::objs::FindExt as _;

use crate::git::{BlobId, SmallBlobs};
use crate::notes::NotesError;

/// Fewer notes are read on one thread: starting another costs more than they do.
///
/// A note of one record takes about 10 microseconds to read, one of a hundred about 180.
const WORTH_A_THREAD: usize = 16;

/// Reads each blob and returns what `read` makes of it, in the order of `blobs`.
///
/// A blob that is missing or damaged is an error in its own result only.
pub(in crate::notes) fn read_each<T: Send>(
    repo: &gix::Repository,
    threads: NonZeroUsize,
    blobs: &[BlobId],
    read: impl Fn(&[u8]) -> T + Sync,
) -> Vec<Result<T, NotesError>> {
    if blobs.len() < WORTH_A_THREAD {
        let mut buffer = Vec::new();
        return blobs.iter().map(|blob| read_blob(repo, *blob, &mut buffer).map(&read)).collect();
    }
    let packs = SmallBlobs::open(repo);
    let threads = threads.get().min(blobs.len() / WORTH_A_THREAD).max(1);
    let (packs, read) = (&packs, &read);
    std::thread::scope(|scope| {
        let mut runs = blobs.chunks(blobs.len().div_ceil(threads));
        // This thread has nothing else to do, so the first run is its own.
        let own = runs.next().unwrap_or_default();
        let workers: Vec<_> = runs
            .map(|run| {
                let repo = repo.clone();
                scope.spawn(move || read_run(&repo, packs, run, read))
            })
            .collect();
        let mut all = read_run(repo, packs, own, read);
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

fn read_run<T>(
    repo: &gix::Repository,
    packs: &SmallBlobs,
    blobs: &[BlobId],
    read: &impl Fn(&[u8]) -> T,
) -> Vec<Result<T, NotesError>> {
    let mut buffer = Vec::new();
    let read_one = |blob: &BlobId| match packs.read(*blob) {
        Some(note) => Ok(read(&note)),
        None => read_blob(repo, *blob, &mut buffer).map(read),
    };
    blobs.iter().map(read_one).collect()
}

/// Reads one note into `buffer`.
pub(in crate::notes) fn read_blob<'a>(
    repo: &gix::Repository,
    blob: BlobId,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], NotesError> {
    let found = repo.objects.find_blob(&blob.raw(), buffer);
    found.map(|found| found.data).map_err(|source| NotesError::ReadNote { note_blob_id: blob, source })
}
