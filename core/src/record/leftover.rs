//! Bytes of a note that a reader did not parse, kept as they are.
//!
//! Such bytes contain the record tag, so they are escaped: no record may be inside a record.

use serde::{Deserialize, Serialize};

use super::{MAX_BODY_BYTES, Record, RecordId, VERSION, cbor};

/// The most bytes of one record; escaping at most doubles them.
const MAX_LEFTOVER_BYTES: usize = (MAX_BODY_BYTES - 64) / 2;

/// What `f7` becomes, and what begins every escape.
const ESCAPE: u8 = 0xf6;

/// Bytes of a note that were not parsed, because that would cost too much.
///
/// They are kept in a record, so that every machine keeps the same bytes, however often it writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftoverRecord {
    /// The bytes as they were in the note.
    #[serde(with = "escaped")]
    pub bytes: Vec<u8>,
    /// The record with the bytes right before these, if one record could not hold all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<RecordId>,
}

impl LeftoverRecord {
    /// The name of this kind.
    pub const KIND: &str = "leftover";

    /// Returns the records that keep `bytes`, each after the other.
    pub(super) fn records_of(bytes: &[u8]) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        for part in bytes.chunks(MAX_LEFTOVER_BYTES) {
            let body = Self { bytes: part.to_vec(), after: records.last().map(Record::id) };
            records.push(Record::seal(Self::KIND, &cbor::to_vec(&body), VERSION));
        }
        records
    }
}

/// Without `f7` there is no record tag: `f7` is written as `f6 01`, and `f6` as `f6 00`.
mod escaped {
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    use super::ESCAPE;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let mut escaped = Vec::with_capacity(bytes.len());
        for byte in bytes {
            match byte.checked_sub(ESCAPE) {
                Some(above @ 0..=1) => escaped.extend_from_slice(&[ESCAPE, above]),
                _ => escaped.push(*byte),
            }
        }
        serializer.serialize_bytes(&escaped)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let escaped: Vec<u8> = serde_bytes::deserialize(deserializer)?;
        let mut bytes = Vec::with_capacity(escaped.len());
        let mut rest = escaped.iter();
        while let Some(byte) = rest.next() {
            bytes.push(match *byte {
                ESCAPE => match rest.next() {
                    Some(above @ 0..=1) => ESCAPE + above,
                    _ => return Err(D::Error::custom("f6 that is followed by neither 00 nor 01")),
                },
                other => other,
            });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, RECORD_TAG};

    fn read(record: &Record) -> LeftoverRecord {
        match record.body().unwrap() {
            Body::Leftover(leftover) => leftover,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whatever_was_left_comes_back_and_holds_no_tag_meanwhile() {
        let mut bytes = vec![0xf7; MAX_LEFTOVER_BYTES + 1];
        bytes.extend((0..=255).flat_map(|byte| [0xd9, 0xd9, 0xf7, byte, 0xf6]));
        let records = LeftoverRecord::records_of(&bytes);
        assert_eq!(records.len(), 2);
        assert_eq!(read(&records[1]).after, Some(records[0].id()));
        let whole: Vec<u8> = records.iter().flat_map(|record| read(record).bytes).collect();
        assert_eq!(whole, bytes);
        for record in records {
            assert!(record.body_bytes().len() <= MAX_BODY_BYTES);
            assert!(memchr::memmem::find(&record.as_bytes()[3..], &RECORD_TAG).is_none());
        }
    }

    #[test]
    fn an_escape_without_its_second_byte_is_refused() {
        for escaped in [&b"\x41\xf6"[..], b"\x42\xf6\x02", b"\x43a\xf6\xf6"] {
            let body = [b"\xa1\x65bytes", escaped].concat();
            assert!(Record::seal(LeftoverRecord::KIND, &body, VERSION).body().is_err(), "{escaped:02x?}");
        }
    }
}
