//! Reads small blobs that are stored whole in a pack, as nearly all notes are after `git gc`.
//!
//! Only a faster way to what gix reads: zlib spends more on setting up than on a note. What is not found here, or is
//! unusual or wrong in any way, is `None`, and for gix to read or to complain about.

use gix_pack::data::entry::Header;
use zune_inflate::{DeflateDecoder, DeflateOptions};

use super::open_pack::OpenPack;
use crate::git::BlobId;

/// Larger ones are read as fast by gix.
const MAX_BYTES: u64 = 1 << 20;

/// With more packs than this, the rest is left to gix.
const MAX_PACKS: usize = 16;

/// How far the inflater may write beyond the end; without that room it makes its memory larger for every note.
const ROOM: usize = 512;

/// The packs of a repository as they were when this was made.
pub struct SmallBlobs {
    packs: Vec<OpenPack>,
}

impl SmallBlobs {
    /// Opens the packs that `handle` reads from, without those of other repositories.
    pub fn open(handle: &gix::Repository) -> Self {
        let names = OpenPack::names(handle);
        let mut packs: Vec<OpenPack> = names
            .iter()
            .take(MAX_PACKS)
            .filter_map(|name| OpenPack::at(name, handle.object_hash()))
            .collect();
        // Most notes are in the largest, where `git gc` put them.
        packs.sort_by_key(|pack| std::cmp::Reverse(pack.index.num_objects()));
        Self { packs }
    }

    /// Reads a blob, if it can be done here; the stream's own sum is checked.
    pub fn read(&self, id: BlobId) -> Option<Vec<u8>> {
        self.packs.iter().find_map(|pack| Some((pack, pack.index.lookup(id.raw())?))).and_then(
            |(pack, at)| {
                let entry = pack.data.entry(pack.index.pack_offset_at_index(at)).ok()?;
                if entry.header != Header::Blob || entry.decompressed_size > MAX_BYTES {
                    return None;
                }
                let stream = pack.data.entry_slice(entry.data_offset..pack.data.data_len() as u64)?;
                let length = usize::try_from(entry.decompressed_size).ok()?;
                inflate(stream, length)
            },
        )
    }
}

/// Inflates the beginning of `stream`, if the result has exactly this size.
fn inflate(stream: &[u8], length: usize) -> Option<Vec<u8>> {
    let options =
        DeflateOptions::default().set_size_hint(length + ROOM).set_limit(length).set_confirm_checksum(true);
    let inflated = DeflateDecoder::new_with_options(stream, options).decode_zlib().ok()?;
    (inflated.len() == length).then_some(inflated)
}

#[cfg(test)]
mod tests {
    use gix::zlib::{Compression, Inflate, Status};
    use proptest::prelude::*;

    use super::*;
    use crate::git::durable_write::deflate::deflate;

    /// Bytes as notes have them: some that repeat, some that nothing can be made of.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..400),
            ("[a-z ]{1,20}", 1..60_usize).prop_map(|(word, times)| word.repeat(times).into_bytes()),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn level() -> impl Strategy<Value = Compression> {
        prop::sample::select(vec![Compression::NONE, Compression::BEST_SPEED, Compression::DEFAULT])
    }

    /// What gix makes of a stream that is to become so many bytes.
    fn as_gix_does(stream: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; length];
        let (status, _, written) = Inflate::default().once(stream, &mut out).ok()?;
        (status == Status::StreamEnd && written == length).then_some(out)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_stream_becomes_what_it_was_made_of(content in content(), level in level(), behind in any::<[u8; 20]>()) {
            let stream = deflate(&content, level).unwrap();
            let in_a_pack = [&stream[..], &behind].concat();
            prop_assert_eq!(inflate(&in_a_pack, content.len()), Some(content.clone()));
            prop_assert_eq!(inflate(&in_a_pack, content.len() + 1), None, "shorter than the pack says");
            if let Some(less) = content.len().checked_sub(1) {
                prop_assert_eq!(inflate(&in_a_pack, less), None, "longer than the pack says");
            }
        }

        #[test]
        fn a_damaged_stream_is_refused_or_becomes_what_was_stored(
            content in content(),
            level in level(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4),
            cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        ) {
            let mut stream = deflate(&content, level).unwrap();
            for (at, bit) in damage {
                let at = at.index(stream.len());
                stream[at] ^= 1 << bit;
            }
            if let Some(cut) = cut {
                stream.truncate(cut.index(stream.len()));
            }
            // A pack ends with its own sum, so that something stands behind every stream.
            stream.extend([0; 20]);
            // A code that no byte uses may be damaged, which zlib refuses: the sum proves the bytes all the same.
            if let Some(read) = inflate(&stream, content.len()) {
                let expected = as_gix_does(&stream, content.len()).unwrap_or(content);
                prop_assert_eq!(read, expected);
            }
        }
    }
}
