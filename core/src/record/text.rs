//! Text that other programs wrote into a note of ours.

use serde::{Deserialize, Serialize};

use super::tag::{begins_inside_the_tag, could_hide_a_record};
use super::{Body, MAX_BODY_BYTES, Record, RecordId, VERSION, cbor};

/// The most bytes of one record; longer text becomes several records.
const MAX_TEXT_BYTES: usize = MAX_BODY_BYTES - 64;

/// Bytes of a note that are not a record: another program's note, or an appended line.
///
/// It has no author: the note does not say who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRecord {
    /// The bytes; newlines around them mean nothing.
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
    /// The record with the bytes right before these, if one record could not hold all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<RecordId>,
}

impl TextRecord {
    /// The name of this kind.
    pub const KIND: &str = "text";

    /// Returns the records that keep `bytes`, which do not contain the record tag: none if there are none, and
    /// several if they are too long for one.
    pub(super) fn records_of(bytes: &[u8]) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        for part in bytes.chunks(MAX_TEXT_BYTES) {
            // The tag could begin in the head that CBOR puts before the text: a newline parts them.
            let parting: &[u8] = if begins_inside_the_tag(part) { b"\n" } else { b"" };
            let body = Self { text: [parting, part].concat(), after: records.last().map(Record::id) };
            records.push(Record::seal(Self::KIND, &cbor::to_vec(&body), VERSION));
        }
        records
    }

    /// Returns the text of a record that would come back if the text were stored as a plain note; `None` for other
    /// records.
    ///
    /// Not for a part of a longer text, and not for one with unknown fields: a plain note could not keep them.
    pub(super) fn as_plain_note(record: &Record) -> Option<Vec<u8>> {
        if !record.is(Self::KIND) {
            return None;
        }
        match record.body() {
            Ok(Body::Text(Self { text, .. })) if !could_hide_a_record(&text) => {
                (Self::records_of(&text) == [record.clone()]).then_some(text)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RECORD_TAG;

    fn read(record: &Record) -> TextRecord {
        match record.body().unwrap() {
            Body::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn long_words_keep_their_order_and_their_repeats() {
        let words = vec![b'x'; MAX_TEXT_BYTES * 3 + 1];
        let records = TextRecord::records_of(&words);
        assert_eq!(records.len(), 4);
        assert_eq!(read(&records[0]).after, None);
        for pair in records.windows(2) {
            assert_eq!(read(&pair[1]).after, Some(pair[0].id()));
        }
        let whole: Vec<u8> = records.iter().flat_map(|record| read(record).text).collect();
        assert_eq!(whole, words);
        assert!(records.iter().all(|record| record.body_bytes().len() <= MAX_BODY_BYTES));
    }

    #[test]
    fn a_record_that_a_plain_note_could_not_keep_does_not_become_one() {
        let sealed = |body: &[u8]| Record::seal(TextRecord::KIND, body, VERSION);
        let alone = |body: &[u8]| TextRecord::as_plain_note(&sealed(body));
        assert_eq!(alone(b"\xa1\x64text\x41a"), Some(b"a".to_vec()));
        assert_eq!(alone(b"\xa2\x61x\x00\x64text\x41a"), None, "a field from the future");
        assert_eq!(alone(b"\xa1\x64text\x40"), None, "an empty note is none");
        assert_eq!(alone(b"\xa1\x64text\x41\xf7"), None, "its note would become another record");
        assert_eq!(alone(b"\xa2\x64text\x41a\x65after\x50aaaaaaaaaaaaaaaa"), None, "a part");
    }

    #[test]
    fn words_that_begin_as_the_tag_goes_on_do_not_complete_it() {
        for (length, begin) in [(0xd9d9, &b"\xf7\x84\x50"[..]), (0xd9, b"\xd9\xf7\x84\x50")] {
            for length in length - 1..=length {
                let mut words = vec![b'x'; length];
                words[..begin.len()].copy_from_slice(begin);
                let records = TextRecord::records_of(&words);
                assert_eq!(read(&records[0]).text.trim_ascii_start(), words);
                assert!(memchr::memmem::find(&records[0].as_bytes()[3..], &RECORD_TAG).is_none());
            }
        }
    }
}
