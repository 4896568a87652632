//! Words that somebody else wrote into a note of ours.

use serde::{Deserialize, Serialize};

use super::{MAX_BODY_BYTES, Record, VERSION, cbor};

/// How much one record takes; longer words become several records.
const MAX_TEXT_BYTES: usize = MAX_BODY_BYTES - 64;

/// Bytes that were found in a note and are no record: a foreign note, an appended line.
///
/// It has no author: the note does not say who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The bytes, without the newlines around them.
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
}

impl Text {
    /// The name of this kind.
    pub const KIND: &str = "text";

    /// The records that keep `bytes`: none for none, several for more than one body holds.
    pub fn records_of(bytes: &[u8]) -> impl Iterator<Item = Record> {
        bytes.chunks(MAX_TEXT_BYTES).map(|part| {
            let body = cbor::to_vec(&Self { text: part.to_vec() });
            Record::seal(Self::KIND, &body, VERSION)
        })
    }
}
