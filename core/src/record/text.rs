//! Words that somebody else wrote into a note of ours.

use serde::{Deserialize, Serialize};

use super::tag::{begins_inside_the_tag, could_hide_a_record};
use super::{Body, MAX_BODY_BYTES, Record, RecordId, VERSION, cbor};

/// How much one record takes; longer words become several records.
const MAX_TEXT_BYTES: usize = MAX_BODY_BYTES - 64;

/// Bytes that were found in a note and are no record: a foreign note, an appended line.
///
/// It has no author: the note does not say who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The bytes; newlines around them mean nothing.
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
    /// The record that holds what stood right before, where one could not hold all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<RecordId>,
}

impl Text {
    /// The name of this kind.
    pub const KIND: &str = "text";

    /// The records that keep `bytes`, which do not hold the record tag: none for none, several,
    /// each behind the other, for more than one body holds.
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

    /// The words of a record that these words as a note would become; `None` for other records.
    ///
    /// A part is none, nor is one with fields from the future: a plain note could not keep them.
    pub(super) fn alone(record: &Record) -> Option<Vec<u8>> {
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

    fn read(record: &Record) -> Text {
        match record.body().unwrap() {
            Body::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn long_words_keep_their_order_and_their_repeats() {
        let words = vec![b'x'; MAX_TEXT_BYTES * 3 + 1];
        let records = Text::records_of(&words);
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
        let sealed = |body: &[u8]| Record::seal(Text::KIND, body, VERSION);
        let alone = |body: &[u8]| Text::alone(&sealed(body));
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
                let records = Text::records_of(&words);
                assert_eq!(read(&records[0]).text.trim_ascii_start(), words);
                assert!(memchr::memmem::find(&records[0].as_bytes()[3..], &RECORD_TAG).is_none());
            }
        }
    }
}
