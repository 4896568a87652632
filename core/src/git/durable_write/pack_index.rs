//! The index of a pack that was just made: where each object is.
//!
//! gix makes an index from the pack alone: it unpacks and hashes all of it again. Here the offsets are known already.
//! The form is git's version 2, which `git index-pack` writes.

use gix::hash::{Kind, ObjectId, oid};

const SIGNATURE: [u8; 4] = *b"\xfftOc";
const VERSION: u32 = 2;

/// Offsets from here on are in a table of their own.
const LARGE: u64 = 1 << 31;

/// Where one object is in a pack.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedObject {
    pub id: ObjectId,
    /// Where its entry begins.
    pub offset: u64,
    /// Of the entry's bytes in the pack.
    pub crc32: u32,
}

/// The index of the pack that ends with `pack_sum` and holds these.
pub(super) fn encode(mut placed: Vec<PackedObject>, pack_sum: &oid, hash: Kind) -> gix::Result<Vec<u8>> {
    placed.sort_unstable_by_key(|placed| placed.id);
    let mut index = Vec::with_capacity(1100 + placed.len() * (hash.len_in_bytes() + 8));
    index.extend(SIGNATURE);
    index.extend(VERSION.to_be_bytes());
    for first_byte in 0..=u8::MAX {
        let up_to = placed.partition_point(|placed| placed.id.first_byte() <= first_byte);
        index.extend(u32::try_from(up_to).expect("a pack counts its objects so").to_be_bytes());
    }
    for PackedObject { id, .. } in &placed {
        index.extend(id.as_slice());
    }
    for PackedObject { crc32, .. } in &placed {
        index.extend(crc32.to_be_bytes());
    }
    let mut large: Vec<u64> = Vec::new();
    for PackedObject { offset, .. } in &placed {
        let told = if *offset < LARGE {
            *offset
        } else {
            large.push(*offset);
            LARGE + large.len() as u64 - 1
        };
        index.extend(u32::try_from(told).expect("fewer than two thousand million are large").to_be_bytes());
    }
    for offset in large {
        index.extend(offset.to_be_bytes());
    }
    index.extend(pack_sum.as_bytes());
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(&index);
    index.extend(hasher.try_finalize()?.as_slice());
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(first: u8, rest: u8) -> ObjectId {
        let mut bytes = [rest; 20];
        bytes[0] = first;
        ObjectId::from_bytes_or_panic(&bytes)
    }

    #[test]
    fn every_object_is_found_where_it_is_also_far_into_a_pack() {
        let far = (5 << 32) + 7;
        let placed: Vec<PackedObject> =
            [(id(0xff, 1), 12), (id(0, 9), far), (id(0, 2), LARGE - 1), (id(7, 7), LARGE)]
                .into_iter()
                .zip(1..)
                .map(|((id, offset), crc32)| PackedObject { id, offset, crc32 })
                .collect();
        let sum = id(0xab, 0xcd);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pack-x.idx");
        std::fs::write(&file, encode(placed.clone(), &sum, Kind::Sha1).unwrap()).unwrap();
        let index = gix_pack::index::File::at(&file, Kind::Sha1).unwrap();
        let mut nobody = gix::progress::Discard;
        index.verify_checksum(&mut nobody, &std::sync::atomic::AtomicBool::new(false)).unwrap();
        assert_eq!((index.num_objects(), index.pack_checksum()), (4, sum));
        for PackedObject { id, offset, crc32 } in placed {
            let at = index.lookup(id).expect("it is in the index");
            assert_eq!((index.pack_offset_at_index(at), index.crc32_at_index(at)), (offset, Some(crc32)));
        }
        assert_eq!(index.lookup(id(7, 8)), None);
    }
}
