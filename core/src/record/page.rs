//! The records in one note, and what else stands there.
//!
//! Damage is a value here: what could be read is returned beside what could not, and no byte that
//! is not understood is dropped without being counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use memchr::memmem;

use super::frame::HashBudget;
use super::{NoRecord, RECORD_TAG, Record, RecordId, Text};

/// The content of one note.
#[derive(Clone, Debug, Default)]
pub struct Page {
    records: BTreeMap<RecordId, Record>,
    unread: Vec<Unread>,
}

/// Bytes of a note that are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Somebody's words; they become a record of kind `text` when the page is next written.
    Foreign(Vec<u8>),
    /// What is left of a damaged record; dropped when the page is next written.
    Remains(Vec<u8>),
    /// What was not looked at, because telling would cost too much; kept as it is.
    OverBudget(Vec<u8>),
}

impl Page {
    /// Reads a note as far as it can be read.
    ///
    /// Costs one pass, and hashing of at most four times the note's length whatever it holds.
    pub fn parse(note: &[u8]) -> Self {
        let source: Arc<[u8]> = note.into();
        let tag = memmem::Finder::new(&RECORD_TAG);
        let find = |from: usize| tag.find(&source[from..]).map_or(source.len(), |found| from + found);
        let mut page = Self::default();
        let mut budget = HashBudget::for_length(source.len());
        let mut at = 0;
        while at < source.len() {
            let start = find(at);
            page.set_aside(trim_newlines(&source[at..start]), Unread::Foreign);
            if start == source.len() {
                break;
            }
            match Record::read(&source, start, &mut budget) {
                Ok(record) => {
                    at = record.place().end;
                    page.records.insert(record.id(), record);
                }
                Err(NoRecord::OverBudget) => {
                    page.set_aside(&source[start..], Unread::OverBudget);
                    break;
                }
                Err(NoRecord::Shape | NoRecord::WrongId) => {
                    at = find(start + RECORD_TAG.len());
                    page.set_aside(&source[start..at], Unread::Remains);
                }
            }
        }
        page
    }

    fn set_aside(&mut self, bytes: &[u8], why: fn(Vec<u8>) -> Unread) {
        if !bytes.is_empty() {
            self.unread.push(why(bytes.to_vec()));
        }
    }

    /// A page of these records and nothing else.
    pub fn of(records: impl IntoIterator<Item = Record>) -> Self {
        let records = records.into_iter().map(|record| (record.id(), record)).collect();
        Self { records, unread: Vec::new() }
    }

    /// The records, in ascending order of their ids.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &Record> {
        self.records.values()
    }

    /// Whether this record stands here.
    pub fn contains(&self, id: RecordId) -> bool {
        self.records.contains_key(&id)
    }

    /// What is no record, in the note's order.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// Adds a record; the same one twice is once.
    pub fn insert(&mut self, record: Record) {
        self.records.insert(record.id(), record);
    }

    /// Drops every record that `keep` refuses and returns them.
    pub fn drop_unless(&mut self, keep: impl Fn(&Record) -> bool) -> Vec<Record> {
        self.records.extract_if(.., |_, record| !keep(record)).map(|(_, record)| record).collect()
    }

    /// Makes one record of kind `text` of the bytes that are somebody's words.
    ///
    /// Remains of damaged records are dropped. Afterwards the page is what [`Page::to_bytes`] writes.
    pub fn settle(&mut self) {
        let mut words: Vec<u8> = Vec::new();
        let mut kept = Vec::new();
        for unread in self.unread.drain(..) {
            match unread {
                Unread::Foreign(bytes) => {
                    if !words.is_empty() {
                        words.push(b'\n');
                    }
                    words.extend(bytes);
                }
                Unread::Remains(_) => {}
                Unread::OverBudget(bytes) => kept.push(bytes),
            }
        }
        kept.sort();
        kept.dedup();
        self.unread = kept.into_iter().map(Unread::OverBudget).collect();
        for text in Text::records_of(&words) {
            self.insert(text);
        }
    }

    /// Adds what stands in `other`; the order of such unions makes no difference.
    pub fn union(&mut self, mut other: Self) {
        self.settle();
        other.settle();
        self.records.append(&mut other.records);
        self.unread.append(&mut other.unread);
        self.settle();
    }

    /// Whether nothing is left to write.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.unread.is_empty()
    }

    /// The note: records in ascending order of id, then what was never looked at.
    ///
    /// Records are the bytes they were read in. Call [`Page::settle`] first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut note = Vec::new();
        for record in self.records() {
            note.extend_from_slice(record.as_bytes());
        }
        for unread in &self.unread {
            if let Unread::OverBudget(bytes) = unread {
                note.extend_from_slice(bytes);
            }
        }
        note
    }
}

/// Takes away the newlines that stock git puts between two notes.
fn trim_newlines(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| *b != b'\n').unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| *b != b'\n').map_or(start, |last| last + 1);
    &bytes[start..end]
}
