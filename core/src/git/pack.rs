//! Many objects in one pack: one file to sync instead of hundreds.
//!
//! The pack is made aside and moved into place when it is on disk, so that no reader ever sees half of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use gix::objs::Kind;
use gix_pack::data::{Version, output};

use super::ObjectId;
use super::deflate::Deflater;
use super::durable::{Access, create_dirs, create_file, sync_dirs, sync_files};
use super::error::WriteError;
use super::writer::WriterLock;

/// Packs `objects`, syncs the pack, and returns the file that keeps `git gc` from repacking it.
///
/// The caller removes that file once a ref leads to the objects.
pub(super) fn write(
    writer: &mut WriterLock<'_>,
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
) -> Result<PathBuf, WriteError> {
    let repo = writer.repository();
    let objects_dir = repo.objects_dir();
    let hash = repo.object_hash();
    let stage = Stage::new(&objects_dir)?;
    let failed = |source| WriteError::Pack { count: objects.len(), dir: stage.dir.clone(), source };
    let bytes = encode(objects, compression, hash).map_err(failed)?;
    let options = gix_pack::bundle::write::Options { thread_limit: Some(1), ..Default::default() };
    let made = gix_pack::Bundle::write_to_directory(
        &mut io::Cursor::new(bytes),
        Some(&stage.dir),
        &mut gix::progress::Discard,
        &AtomicBool::new(false),
        None::<gix::odb::Handle>,
        hash,
        options,
    );
    let made = made.map_err(failed)?;
    let (data, index) =
        made.data_path.zip(made.index_path).expect("a pack of at least one object is written");

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
    // The index comes last, because a pack counts from the moment that its index is there.
    let ready =
        |path: &PathBuf| fs::set_permissions(path, kept.permissions()).and_then(|()| fs::File::open(path));
    let files = [ready(&data).map_err(file_failed(&data))?, ready(&index).map_err(file_failed(&index))?];
    sync_files(&[&files[0], &files[1]]).map_err(|(_, source)| file_failed(&data)(source))?;
    for from in [&data, &index] {
        fs::rename(from, name(from)).map_err(file_failed(from))?;
    }
    sync_dirs(&changed).map_err(|(at, source)| file_failed(&changed[at])(source))?;
    Ok(keep)
}

fn encode(
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
    hash: gix::hash::Kind,
) -> gix::Result<Vec<u8>> {
    let streams = deflate_all(objects, compression)?;
    let entries = objects.iter().zip(streams).map(|((id, kind, bytes), compressed_data)| {
        let kind = output::entry::Kind::Base(*kind);
        Ok(vec![output::Entry { id: id.raw(), kind, decompressed_size: bytes.len(), compressed_data }])
    });
    let count = u32::try_from(objects.len()).expect("fewer objects than a pack can count are in memory");
    let mut packing = output::bytes::FromEntriesIter::new(entries, Vec::new(), count, Version::V2, hash);
    for written in packing.by_ref() {
        written?;
    }
    Ok(packing.into_write())
}

/// Compresses the objects, one half of them on a second thread: nothing else of a large group takes as long.
fn deflate_all(
    objects: &[(ObjectId, Kind, Vec<u8>)],
    compression: gix::zlib::Compression,
) -> gix::Result<Vec<Vec<u8>>> {
    let deflate = |objects: &[(ObjectId, Kind, Vec<u8>)]| -> gix::Result<Vec<Vec<u8>>> {
        let mut deflater = Deflater::new(compression);
        objects.iter().map(|(_, _, bytes)| deflater.deflate(bytes)).collect()
    };
    let (first, second) = objects.split_at(objects.len() / 2);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| deflate(second));
        let mut streams = deflate(first)?;
        streams.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        Ok(streams)
    })
}

/// A directory beside the objects, of a name that no git touches, even with `--prune=now`.
struct Stage {
    dir: PathBuf,
}

impl Stage {
    fn new(objects_dir: &Path) -> Result<Self, WriteError> {
        let dir = objects_dir.join("incoming-postil");
        // A dead writer's; a living one would hold the lock that the caller holds.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).map_err(|source| WriteError::File { path: dir.clone(), source })?;
        Ok(Self { dir })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Left behind, it is in nobody's way, and the next one takes its place.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
