//! Remembers unpacked objects of packs, because most other objects are stored as deltas against them.
//!
//! Walking a history reads neighbouring versions of the same trees, whose chains of differences
//! overlap almost wholly. A cache only: what is read is the same without it.

use std::collections::HashMap;

use gix::objs::Kind;
use gix_pack::cache::DecodeEntry;

/// What is remembered at once; when there is more, all is forgotten.
const MAX_BYTES: usize = 48 << 20;

/// Larger objects are not remembered.
const MAX_OBJECT_BYTES: usize = 1 << 20;

/// Unpacked objects by pack and offset.
#[derive(Default)]
pub(crate) struct DeltaBases {
    objects: HashMap<(u32, u64), (Kind, usize, Vec<u8>)>,
    bytes: usize,
}

impl DecodeEntry for DeltaBases {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, compressed_size: usize) {
        if data.len() > MAX_OBJECT_BYTES {
            return;
        }
        if self.bytes + data.len() > MAX_BYTES {
            self.objects.clear();
            self.bytes = 0;
        }
        let known = self.objects.insert((pack, offset), (kind, compressed_size, data.to_vec()));
        self.bytes += data.len() - known.map_or(0, |(_, _, data)| data.len());
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let (kind, compressed_size, data) = self.objects.get(&(pack, offset))?;
        out.clear();
        out.extend_from_slice(data);
        Some((*kind, *compressed_size))
    }
}
