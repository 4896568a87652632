//! Where comments are at one head: a cache that is shared with the notes.
//!
//! Entries are compared and kept as the bytes they came in, so that an entry of a later version survives;
//! [`PositionEntry`](super::PositionEntry) is a decoded one. Which heads are kept is `notes`' work.

use std::collections::BTreeMap;

use minicbor::{Decoder, Encoder};

use super::{Body, Record, RecordId};
use crate::git::CommitId;

/// One record holds at most this many entries: a page of them is read and written in pieces.
const MAX_ENTRIES: usize = 256;

/// A longer entry is dropped: 256 of them still fit a body.
pub const MAX_ENTRY_BYTES: usize = 4000;

/// Where comments are at one head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionsRecord {
    /// The commit that they were computed for.
    pub head: CommitId,
    /// That commit's own time, in seconds since 1970.
    pub time: i64,
    /// One for each comment, in ascending order of the comments' ids.
    pub entries: Vec<RawEntry>,
}

/// Where one comment is, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    comment: RecordId,
    rank: (u64, u64),
    bytes: Vec<u8>,
}

impl RawEntry {
    /// The comment.
    pub fn comment(&self) -> RecordId {
        self.comment
    }

    /// The CBOR of the entry.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Decodes as much of an entry as is needed to choose between two.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, minicbor::decode::Error> {
        let mut decoder = Decoder::new(bytes);
        let fields = decoder.array()?;
        if fields.is_none_or(|fields| fields < 3) || bytes.len() > MAX_ENTRY_BYTES {
            return Err(minicbor::decode::Error::message(
                "a position of fewer than three fields, or too long",
            ));
        }
        let comment = RecordId::from_bytes(decoder.bytes()?)
            .ok_or_else(|| minicbor::decode::Error::message("a comment id of other than 16 bytes"))?;
        let rank = (decoder.u64()?, decoder.u64()?);
        Ok(Self { comment, rank, bytes: bytes.to_vec() })
    }

    /// Whether this one is kept, of two for the same comment at the same head.
    fn beats(&self, other: &Self) -> bool {
        (self.rank, &self.bytes) > (other.rank, &other.bytes)
    }
}

impl PositionsRecord {
    /// The name of this kind.
    pub const KIND: &str = "positions";

    /// Makes the records for one head: entries sorted, one for each comment, split over several.
    pub fn records(head: CommitId, time: i64, entries: impl IntoIterator<Item = RawEntry>) -> Vec<Record> {
        let mut best: BTreeMap<RecordId, RawEntry> = BTreeMap::new();
        for entry in entries {
            match best.get(&entry.comment) {
                Some(stays) if !entry.beats(stays) => {}
                _ => {
                    best.insert(entry.comment, entry);
                }
            }
        }
        let entries: Vec<RawEntry> = best.into_values().collect();
        entries
            .chunks(MAX_ENTRIES)
            .map(|entries| {
                let positions = Self { head, time, entries: entries.to_vec() };
                Record::new(&Body::Positions(positions)).expect("entries and their number are bounded")
            })
            .collect()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new());
        let head = |encoder: &mut Encoder<Vec<u8>>| {
            encoder.map(3)?.str("head")?.bytes(self.head.as_bytes())?;
            encoder.str("time")?.i64(self.time)?.str("entries")?.array(self.entries.len() as u64)?;
            Ok::<_, minicbor::encode::Error<std::convert::Infallible>>(())
        };
        head(&mut encoder).expect("writing to memory does not fail");
        let mut bytes = encoder.into_writer();
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.bytes);
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        Self::decode(bytes).map_err(|error| error.to_string())
    }

    fn decode(bytes: &[u8]) -> Result<Self, minicbor::decode::Error> {
        let mut decoder = Decoder::new(bytes);
        let (mut head, mut time, mut entries) = (None, None, Vec::new());
        for _ in 0..decoder.map()?.unwrap_or(0) {
            match decoder.str()? {
                "head" => head = CommitId::from_bytes(decoder.bytes()?),
                "time" => time = Some(decoder.i64()?),
                "entries" => {
                    for _ in 0..decoder.array()?.unwrap_or(0) {
                        let start = decoder.position();
                        decoder.skip()?;
                        entries.push(RawEntry::from_bytes(&bytes[start..decoder.position()])?);
                    }
                }
                _ => decoder.skip()?,
            }
        }
        match (head, time) {
            (Some(head), Some(time)) => Ok(Self { head, time, entries }),
            _ => Err(minicbor::decode::Error::message("positions without a head or a time")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Basis, PositionEntry, PositionState};

    fn entry(comment: u8, engine: u32, basis: Basis, reason: &str) -> RawEntry {
        let comment = RecordId::from_array([comment; 16]);
        PositionEntry { engine, basis, reason: reason.into(), ..PositionEntry::orphaned(comment) }.to_raw()
    }

    fn head() -> CommitId {
        CommitId::from_bytes(&[9; 20]).unwrap()
    }

    fn survivors(entries: Vec<RawEntry>) -> Vec<PositionEntry> {
        let read = |record: Record| match record.body().unwrap() {
            Body::Positions(positions) => positions.entries,
            other => panic!("{other:?}"),
        };
        let records = PositionsRecord::records(head(), 7, entries);
        records.into_iter().flat_map(read).map(|raw| raw.read().unwrap()).collect()
    }

    #[test]
    fn the_higher_engine_stays_then_the_better_basis() {
        let old = entry(1, 1, Basis::History, "old engine, best basis");
        let text = entry(1, 2, Basis::Text, "text alone");
        let blob = entry(1, 2, Basis::Blob, "the pinned blob");
        for order in [[&old, &text, &blob], [&blob, &old, &text], [&text, &blob, &old]] {
            let stays = survivors(order.into_iter().cloned().collect());
            assert_eq!(stays.iter().map(|e| e.reason.as_str()).collect::<Vec<_>>(), ["the pinned blob"]);
            assert_eq!(stays[0].state, PositionState::Orphaned);
        }
    }

    #[test]
    fn many_entries_are_split_and_all_come_back_in_order() {
        let ids = |i: u32| {
            let mut id = [0; 16];
            id[..4].copy_from_slice(&i.to_be_bytes());
            RecordId::from_array(id)
        };
        let entries = (0..600).rev().map(|i| PositionEntry::orphaned(ids(i)).to_raw()).collect();
        let back = survivors(entries);
        assert_eq!(back.len(), 600);
        assert!(back.is_sorted_by_key(|entry| entry.comment));
    }
}
