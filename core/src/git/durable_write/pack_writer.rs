//! Many objects in one pack: one file to sync instead of hundreds.
//!
//! The pack is made in a folder of its own and moved into place when it is on disk, so that no reader ever sees half of
//! it.

use std::fs;
use std::path::{Path, PathBuf};

use gix::objs::Kind;
use gix_pack::data::{Version, output};

use super::deflate::deflate;
use super::durable_files::{Access, create_dirs, create_file, sync_dirs, sync_files};
use super::pack_index::{self, PackedObject};
use super::writer_lock::WriterLock;
use crate::git::ObjectId;
use crate::git::error::WriteError;

/// A pack begins with its signature, its version and the number of its objects.
const HEADER_BYTES: u64 = 12;

/// Packs `objects`, syncs the pack, and returns the file that keeps `git gc` from repacking it.
///
/// The caller removes that file after a ref reaches the objects.
pub(super) fn write(
    writer: &mut WriterLock<'_>,
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
) -> Result<PathBuf, WriteError> {
    let repo = writer.repository();
    let objects_dir = repo.objects_dir();
    let hash = repo.object_hash();
    let stage = PackFolder::new(&objects_dir)?;
    let failed = |source| WriteError::Pack { count: objects.len(), dir: stage.dir.clone(), source };
    let Encoded { pack, index, sum } = encode(objects, compression, hash).map_err(failed)?;
    let (data, index_of_it) =
        (stage.dir.join(format!("pack-{sum}.pack")), stage.dir.join(format!("pack-{sum}.idx")));
    let pack_dir = objects_dir.join("pack");
    let name = |path: &Path| pack_dir.join(path.file_name().unwrap_or_default());
    let keep = name(&data).with_extension("keep");
    let file_failed = |path: &Path| {
        let path = path.to_owned();
        |source| WriteError::File { path, source }
    };
    let mut changed = create_dirs(&pack_dir, repo.sharing()).map_err(file_failed(&pack_dir))?;
    changed.push(pack_dir.clone());
    // Noted before it is in place: whenever this process dies, the next writer knows whose it was.
    let keep_draft = stage.dir.join("keep");
    let keep_file = create_file(&keep_draft, b"postil\n", Access::ReadOnly, repo.sharing());
    let kept = keep_file.and_then(|file| file.metadata()).map_err(file_failed(&keep_draft))?;
    writer.mark(&keep, &kept).map_err(|err| WriteError::Note(Box::new(err)))?;
    fs::rename(&keep_draft, &keep).map_err(file_failed(&keep))?;
    let make = |path: &Path, bytes: &[u8]| {
        create_file(path, bytes, Access::ReadOnly, repo.sharing()).map_err(file_failed(path))
    };
    let files = [make(&data, &pack)?, make(&index_of_it, &index)?];
    sync_files(&[&files[0], &files[1]]).map_err(file_failed(&data))?;
    // The index comes last, because a pack counts from the moment that its index is there.
    for from in [&data, &index_of_it] {
        fs::rename(from, name(from)).map_err(file_failed(from))?;
    }
    sync_dirs(&changed).map_err(|(at, source)| file_failed(&changed[at])(source))?;
    Ok(keep)
}

/// A pack and its index, as they are on disk.
struct Encoded {
    pack: Vec<u8>,
    index: Vec<u8>,
    /// The sum that the pack ends with, and is named by.
    sum: gix::hash::ObjectId,
}

fn encode(
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
    hash: gix::hash::Kind,
) -> gix::Result<Encoded> {
    let streams = deflate_all(objects, compression)?;
    let entries = objects.iter().zip(streams).map(|((id, kind, bytes), compressed_data)| {
        let kind = output::entry::Kind::Base(*kind);
        Ok(vec![output::Entry { id: id.raw(), kind, decompressed_size: bytes.len(), compressed_data }])
    });
    let count = u32::try_from(objects.len()).expect("fewer objects than a pack can count are in memory");
    let mut packing = output::bytes::FromEntriesIter::new(entries, Vec::new(), count, Version::V2, hash);
    let mut ends = Vec::with_capacity(objects.len());
    let mut written = 0;
    for step in packing.by_ref() {
        written += step?;
        ends.push(written);
    }
    let sum = packing.digest().expect("a pack that is written to its end has a sum");
    let pack = packing.into_write();
    let mut start = HEADER_BYTES;
    let placed = objects.iter().zip(ends).map(|((id, ..), end)| {
        let entry = &pack[start as usize..end as usize];
        let placed = PackedObject { id: id.raw(), offset: start, crc32: crc32fast::hash(entry) };
        start = end;
        placed
    });
    let index = pack_index::encode(placed.collect(), &sum, hash)?;
    Ok(Encoded { pack, index, sum })
}

/// Compresses the objects, one half of them on a second thread: nothing else of a large group takes as long.
fn deflate_all(
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
) -> gix::Result<Vec<Vec<u8>>> {
    let deflate = |objects: &[(ObjectId, Kind, Vec<u8>)]| -> gix::Result<Vec<Vec<u8>>> {
        objects.iter().map(|(_, _, bytes)| deflate(bytes, compression)).collect()
    };
    let (first, second) = objects.split_at(objects.len() / 2);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| deflate(second));
        let mut streams = deflate(first)?;
        streams.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        Ok(streams)
    })
}

/// A folder next to the objects, with a name that no git touches, even with `--prune=now`.
struct PackFolder {
    dir: PathBuf,
}

impl PackFolder {
    fn new(objects_dir: &Path) -> Result<Self, WriteError> {
        let dir = objects_dir.join("incoming-postil");
        // A dead writer's; a living one would hold the lock that the caller holds.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).map_err(|source| WriteError::File { path: dir.clone(), source })?;
        Ok(Self { dir })
    }
}

impl Drop for PackFolder {
    fn drop(&mut self) {
        // Left behind, it is in nobody's way, and the next one takes its place.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
