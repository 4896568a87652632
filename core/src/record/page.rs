//! The records in one note, and what else is there.
//!
//! Damage is a value here: a page has what could be read and what could not, and no unknown byte is dropped without
//! being counted.

use std::sync::Arc;

use memchr::memmem;

use super::frame::HashBudget;
use super::{LeftoverRecord, NotARecord, RECORD_TAG, Record, RecordId, TextRecord};

/// The content of one note.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// In ascending order of id, each once. Most notes hold one or few, which a tree would spread out.
    records: Vec<Record>,
    unread: Vec<Unread>,
}

/// Bytes of a note that are not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Text of other programs; it becomes a record of kind `text` when the page is next written.
    Foreign(Vec<u8>),
    /// What is left of one damaged record, or of several in a row; dropped when the page is next
    /// written.
    Remains(Vec<u8>),
    /// Bytes that were not parsed, because that would cost too much; they become a record of kind `leftover` when the
    /// page is next written.
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
            let words = &source[at..start];
            // A note that is somebody else's from end to end is kept to the byte.
            let whole = words.len() == source.len();
            page.set_aside(if whole { words } else { trim_newlines(words) }, Unread::Foreign);
            if start == source.len() {
                break;
            }
            match Record::read(&source, start, &mut budget) {
                Ok(record) => {
                    at = record.place().end;
                    // As many as this one fit into the note. Most notes hold one, and room for four would be the
                    // greater part of a store in memory.
                    if page.records.is_empty() {
                        page.records.reserve_exact(1 + (source.len() - at) / record.as_bytes().len());
                    }
                    page.records.push(record);
                }
                Err(NotARecord::OverBudget) => {
                    page.set_aside(&source[start..], Unread::OverBudget);
                    break;
                }
                Err(NotARecord::Shape | NotARecord::WrongId) => {
                    let next = find(start + RECORD_TAG.len());
                    // What follows a frame whose length still fits is somebody's words again.
                    at = Record::claimed_end(&source, start).map_or(next, |end| end.min(next));
                    page.set_aside(&source[start..at], Unread::Remains);
                }
            }
        }
        page.sort();
        page
    }

    /// Sorts the records; costs one pass if they are sorted already.
    fn sort(&mut self) {
        if !self.records.is_sorted_by(|one, next| one < next) {
            self.records.sort();
            self.records.dedup();
        }
    }

    fn set_aside(&mut self, bytes: &[u8], why: fn(Vec<u8>) -> Unread) {
        if bytes.is_empty() {
            return;
        }
        match (self.unread.last_mut(), why(bytes.to_vec())) {
            // A note of nothing but tags must not become millions of small pieces.
            (Some(Unread::Remains(before)), Unread::Remains(more)) => before.extend(more),
            (_, unread) => self.unread.push(unread),
        }
    }

    /// A page of these records and nothing else.
    pub fn of(records: impl IntoIterator<Item = Record>) -> Self {
        let mut page = Self { records: records.into_iter().collect(), unread: Vec::new() };
        page.sort();
        page
    }

    /// The records, in ascending order of their ids.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &Record> {
        self.records.iter()
    }

    /// Whether the page has this record.
    pub fn contains(&self, id: RecordId) -> bool {
        self.place_of(id).is_ok()
    }

    /// What is not a record, in the note's order.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// Adds a record, unless it is there already.
    pub fn insert(&mut self, record: Record) {
        if let Err(at) = self.place_of(record.id()) {
            self.records.insert(at, record);
        }
    }

    /// The index of a record, or the index that it would get.
    fn place_of(&self, id: RecordId) -> Result<usize, usize> {
        self.records.binary_search_by_key(&id, Record::id)
    }

    /// Drops every record that `keep` refuses and returns them.
    pub fn drop_unless(&mut self, keep: impl Fn(&Record) -> bool) -> Vec<Record> {
        self.records.extract_if(.., |record| !keep(record)).collect()
    }

    /// Turns the text of other programs into records of kind `text`, and what was not parsed into records of kind
    /// `leftover`.
    ///
    /// What is left of damaged records is dropped. After that the page has only records.
    pub fn convert_unread(&mut self) {
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
                Unread::OverBudget(bytes) => kept.extend(LeftoverRecord::records_of(&bytes)),
            }
        }
        for record in TextRecord::records_of(&words).into_iter().chain(kept) {
            self.insert(record);
        }
    }

    /// Adds what is in `other`; the order of such unions makes no difference.
    pub fn union(&mut self, mut other: Self) {
        self.convert_unread();
        other.convert_unread();
        self.records.append(&mut other.records);
        self.sort();
    }

    /// Whether nothing is left to write.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.unread.is_empty()
    }

    /// Returns the note: the records in ascending order of id, as after [`Page::convert_unread`].
    ///
    /// Records keep the bytes they were read in. A page that is only text of other programs stays the plain note that
    /// other tools read.
    pub fn to_bytes(&self) -> Vec<u8> {
        if !self.unread.is_empty() {
            let mut settled = self.clone();
            settled.convert_unread();
            return settled.to_bytes();
        }
        if let [only] = &*self.records
            && let Some(words) = TextRecord::as_plain_note(only)
        {
            return words;
        }
        let mut note = Vec::with_capacity(self.records().map(|record| record.as_bytes().len()).sum());
        for record in self.records() {
            note.extend_from_slice(record.as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, VERSION};

    fn record(word: &str) -> Record {
        Record::seal("word", word.as_bytes(), VERSION)
    }

    fn words_of(page: &Page) -> Vec<Vec<u8>> {
        let text = |record: &Record| match record.body() {
            Ok(Body::Text(text)) => Some(text.text),
            _ => None,
        };
        page.records().filter_map(text).collect()
    }

    #[test]
    fn words_behind_a_damaged_record_are_kept() {
        let mut note = record("a word that will be damaged").as_bytes().to_vec();
        note[40] ^= 1;
        note.extend(b"\n\nwords that git notes append put there\n");
        let mut page = Page::parse(&note);
        assert!(matches!(page.unread(), [Unread::Remains(_), Unread::Foreign(_)]), "{:?}", page.unread());
        page.convert_unread();
        assert_eq!(words_of(&page), [b"words that git notes append put there"]);
    }

    #[test]
    fn a_page_that_was_not_settled_is_written_as_if_it_were() {
        let comment = record("a comment").as_bytes().to_vec();
        let mut page = Page::parse(&[&comment[..], b"\n\nwords\n"].concat());
        let note = page.to_bytes();
        page.convert_unread();
        assert_eq!(page.to_bytes(), note);
        assert_eq!(words_of(&Page::parse(&note)), [b"words"]);
    }

    #[test]
    fn a_note_that_is_somebody_elses_from_end_to_end_is_kept_to_the_byte() {
        for note in [&b"words\n"[..], b"\n\n words", b"\n"] {
            let mut page = Page::parse(note);
            page.convert_unread();
            assert_eq!(page.to_bytes(), note);
        }
    }

    #[test]
    fn a_note_of_nothing_but_tags_is_one_piece() {
        let page = Page::parse(&RECORD_TAG.repeat(1000));
        assert_eq!(page.unread(), [Unread::Remains(RECORD_TAG.repeat(1000))]);
    }
}
