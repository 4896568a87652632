//! One record: an immutable fact in its only encoding, with the id that is its hash.
//!
//! `55799([id, kind, body, version])`; `docs/format.md` has it byte by byte. Bodies are decoded in `body`: a record
//! of an unknown kind or version is kept as the bytes it came in.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{MAX_BODY_BYTES, RECORD_TAG, RecordId, cbor};

/// The version of nearly all records.
pub const VERSION: u8 = 1;

/// The version of records with an anchor on the message of a commit, and of no others.
pub const VERSION_WITH_MESSAGE: u8 = 2;

/// Bytes with a longer kind are not a record.
const MAX_KIND_BYTES: usize = 32;

/// Tag, array head, head of the id.
const ID_AT: usize = 5;
const KIND_AT: usize = ID_AT + RecordId::LEN;

const IN_MEMORY: &str = "writing to memory does not fail";

/// One immutable fact, as the bytes it was made or read in.
#[derive(Clone)]
pub struct Record {
    id: RecordId,
    /// The bytes that contain this record; a page's records share them.
    source: Arc<[u8]>,
    at: usize,
    frame: RecordLayout,
}

impl Record {
    /// Makes the record of `kind` whose body is `body`.
    ///
    /// The caller has checked the kind, and that the body is deterministic and within its bound.
    pub(super) fn seal(kind: &str, body: &[u8], version: u8) -> Self {
        debug_assert!(is_kind(kind.as_bytes()) && body.len() <= MAX_BODY_BYTES && is_version(version));
        let mut bytes = Vec::with_capacity(KIND_AT + kind.len() + body.len() + 8);
        bytes.extend_from_slice(&RECORD_TAG);
        bytes.extend_from_slice(&[0x84, 0x50]);
        bytes.extend_from_slice(&[0; RecordId::LEN]);
        minicbor::Encoder::new(&mut bytes).str_len(kind.len() as u64).expect(IN_MEMORY);
        bytes.extend_from_slice(kind.as_bytes());
        minicbor::Encoder::new(&mut bytes).bytes_len(body.len() as u64).expect(IN_MEMORY);
        bytes.extend_from_slice(body);
        bytes.push(version);
        let id = id_of(&bytes[KIND_AT..]);
        bytes[ID_AT..KIND_AT].copy_from_slice(id.as_bytes());
        let frame = RecordLayout::parse(&bytes).expect("what was just made has the shape of a record");
        Self { id, source: bytes.into(), at: 0, frame }
    }

    /// Reads the record that begins at `at` in `source`.
    pub(super) fn read(source: &Arc<[u8]>, at: usize, budget: &mut HashBudget) -> Result<Self, NotARecord> {
        let frame = RecordLayout::parse(&source[at..])?;
        let whole = &source[at..at + frame.length()];
        budget.spend(whole.len() - KIND_AT)?;
        let id = id_of(&whole[KIND_AT..]);
        if id.as_bytes() != &whole[ID_AT..KIND_AT] {
            return Err(NotARecord::WrongId);
        }
        Ok(Self { id, source: Arc::clone(source), at, frame })
    }

    /// Returns where the frame at `at` ends by its own lengths, whether or not its id is right.
    pub(super) fn claimed_end(source: &[u8], at: usize) -> Option<usize> {
        RecordLayout::parse(&source[at..]).ok().map(|frame| at + frame.length())
    }

    /// Reads `bytes` as exactly one record.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotARecord> {
        let record = Self::read(&bytes.into(), 0, &mut HashBudget::for_length(bytes.len()))?;
        if record.place().end == bytes.len() { Ok(record) } else { Err(NotARecord::Shape) }
    }

    /// The hash of the record's bytes.
    pub fn id(&self) -> RecordId {
        self.id
    }

    /// All 32 bytes of that hash: what a signature is made over.
    pub fn full_hash(&self) -> [u8; 32] {
        hash_of(&self.as_bytes()[KIND_AT..])
    }

    /// The name of its kind, which may be one of a later version.
    pub fn kind(&self) -> &str {
        std::str::from_utf8(self.kind_bytes()).expect("a kind is a-z and - only")
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: &str) -> bool {
        self.kind_bytes() == kind.as_bytes()
    }

    fn kind_bytes(&self) -> &[u8] {
        &self.as_bytes()[self.frame.kind()]
    }

    /// The version of its format, which may be a later one.
    pub fn version(&self) -> u8 {
        self.source[self.place().end - 1]
    }

    /// The CBOR of its body.
    pub fn body_bytes(&self) -> &[u8] {
        &self.as_bytes()[self.frame.body()]
    }

    /// The whole record, as it was made or read.
    pub fn as_bytes(&self) -> &[u8] {
        &self.source[self.place()]
    }

    /// Where it is in the bytes it was read from.
    pub(super) fn place(&self) -> Range<usize> {
        self.at..self.at + self.frame.length()
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Record {}

impl PartialOrd for Record {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Record {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.id.cmp(&other.id)
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({} {})", self.kind(), self.id)
    }
}

/// Why bytes are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARecord {
    /// They do not have the shape of one, or not in its one encoding.
    #[error("not a valid record")]
    Shape,
    /// They have the shape, but not the right id.
    #[error("the id does not match the content")]
    WrongId,
    /// Finding out would cost more hashing than this note is worth.
    #[error("too many invalid records")]
    OverBudget,
}

/// How many more bytes a reader of one note will hash.
///
/// Frames can be nested, and each can claim the rest of the note; four times its length is
/// enough for every honest note and keeps the time linear for the others.
pub(super) struct HashBudget(usize);

impl HashBudget {
    pub(super) fn for_length(length: usize) -> Self {
        Self(length.saturating_mul(4))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), NotARecord> {
        self.0 = self.0.checked_sub(bytes).ok_or(NotARecord::OverBudget)?;
        Ok(())
    }
}

/// Offsets of the parts of a record, from its start; kept small, because a store has thousands of them.
#[derive(Clone, Copy)]
struct RecordLayout {
    length: u32,
    kind_at: u8,
    kind_end: u8,
    body_at: u8,
}

impl RecordLayout {
    fn parse(bytes: &[u8]) -> Result<Self, NotARecord> {
        let fixed = bytes.get(..KIND_AT).ok_or(NotARecord::Shape)?;
        if fixed[..3] != RECORD_TAG || fixed[3..ID_AT] != [0x84, 0x50] {
            return Err(NotARecord::Shape);
        }
        let kind = string(bytes, KIND_AT, 3, MAX_KIND_BYTES)?;
        if !is_kind(&bytes[kind.clone()]) {
            return Err(NotARecord::Shape);
        }
        let body = string(bytes, kind.end, 2, MAX_BODY_BYTES)?;
        if !bytes.get(body.end).copied().is_some_and(is_version) {
            return Err(NotARecord::Shape);
        }
        let early = |at: usize| u8::try_from(at).expect("a kind is short, and the body begins behind it");
        let length = u32::try_from(body.end + 1).expect("a body is bounded");
        Ok(Self { length, kind_at: early(kind.start), kind_end: early(kind.end), body_at: early(body.start) })
    }

    fn length(self) -> usize {
        self.length as usize
    }

    fn kind(self) -> Range<usize> {
        self.kind_at.into()..self.kind_end.into()
    }

    /// Up to the version, which is one byte.
    fn body(self) -> Range<usize> {
        self.body_at.into()..self.length() - 1
    }
}

/// The content of the string of type `major` whose head is at `at`.
fn string(bytes: &[u8], at: usize, major: u8, most: usize) -> Result<Range<usize>, NotARecord> {
    let (found, length, rest) = cbor::head(&bytes[at..]).map_err(|_| NotARecord::Shape)?;
    let length = usize::try_from(length).map_err(|_| NotARecord::Shape)?;
    if found != major || length > most || length > rest.len() {
        return Err(NotARecord::Shape);
    }
    let start = bytes.len() - rest.len();
    Ok(start..start + length)
}

fn is_kind(kind: &[u8]) -> bool {
    (1..=MAX_KIND_BYTES).contains(&kind.len()) && kind.iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
}

/// One byte in CBOR, and never a newline: the last byte of a note must survive `git notes append`.
fn is_version(version: u8) -> bool {
    version <= 23 && version != b'\n'
}

/// Fewer bytes are hashed at once, which is faster than in pieces; nearly all records have fewer.
const HASHED_AT_ONCE: usize = 1024;

/// `rest` is kind, body and version as they are in the frame; the head of the array is added.
fn hash_of(rest: &[u8]) -> [u8; 32] {
    const ARRAY_OF_THREE: u8 = 0x83;
    if rest.len() < HASHED_AT_ONCE {
        let mut whole = [0; HASHED_AT_ONCE];
        whole[0] = ARRAY_OF_THREE;
        whole[1..=rest.len()].copy_from_slice(rest);
        blake3::hash(&whole[..=rest.len()]).into()
    } else {
        blake3::Hasher::new().update(&[ARRAY_OF_THREE]).update(rest).finalize().into()
    }
}

fn id_of(rest: &[u8]) -> RecordId {
    let hash = hash_of(rest);
    RecordId::from_bytes(&hash[..RecordId::LEN]).expect("the slice has that length")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Record {
        Record::seal("text", b"\xa1\x64text\x45hello", VERSION)
    }

    #[test]
    fn a_sealed_record_reads_back_as_itself() {
        for length in [0, 1, 23, 24, 255, 256, 65_535, 65_536, MAX_BODY_BYTES] {
            let body = vec![0x20; length];
            let record = Record::seal("a-kind-of-the-future", &body, 23);
            let again = Record::from_bytes(record.as_bytes()).unwrap();
            assert_eq!((again.id(), again.kind(), again.version()), (record.id(), record.kind(), 23));
            assert_eq!(again.body_bytes(), body);
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = sample().as_bytes().to_vec();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Record::from_bytes(&damaged).is_err(), "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(Record::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn the_id_is_the_blake3_of_kind_body_and_version() {
        let record = sample();
        let hashed = b"\x83\x64text\x4c\xa1\x64text\x45hello\x01";
        assert_eq!(blake3::hash(hashed).as_bytes(), &record.full_hash());
        assert_eq!(record.id().as_bytes()[..], record.full_hash()[..16]);
    }

    #[test]
    fn a_longer_head_around_the_same_content_is_no_record() {
        let bytes = sample().as_bytes().to_vec();
        let body_head = KIND_AT + 5;
        assert_eq!(bytes[body_head], 0x4c);
        let mut longer = bytes.clone();
        longer.splice(body_head..=body_head, [0x58, 0x0c]);
        assert_eq!(Record::from_bytes(&longer), Err(NotARecord::Shape));
    }

    #[test]
    fn a_version_of_ten_would_end_a_note_in_a_newline() {
        let mut bytes = sample().as_bytes().to_vec();
        *bytes.last_mut().unwrap() = 10;
        assert_eq!(Record::from_bytes(&bytes), Err(NotARecord::Shape));
    }
}
