//! Pages lose nothing: not when they are joined, not by what stock git does, not by damage.

use postil_core::record::{Body, Page, Record, RecordId, TextRecord, Unread};
use proptest::collection::vec;
use proptest::prelude::*;

use super::bodies;

use crate::fuzzed::sealing::sealed;

/// Notes as people, programs and accidents leave them.
fn note() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => bodies::record().prop_map(|record| record.as_bytes().to_vec()),
        2 => (0..4_u8).prop_map(|word| sealed("word", &[0xa0 + word], 1)),
        1 => bodies::content(),
        2 => "\n{0,2}[a-z ]{0,9}\n{0,2}".prop_map(String::into_bytes),
        1 => (bodies::record(), any::<prop::sample::Index>(), 1..=255_u8).prop_map(|(record, at, flip)| {
            let mut bytes = record.as_bytes().to_vec();
            bytes[at.index(record.as_bytes().len())] ^= flip;
            bytes
        }),
        1 => (bodies::record(), any::<prop::sample::Index>()).prop_map(|(record, at)| {
            record.as_bytes()[..at.index(record.as_bytes().len())].to_vec()
        }),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_page_that_was_written_reads_as_itself(note in note()) {
        crate::fuzzed::note_page::note_page(&note);
    }

    #[test]
    fn joining_pages_does_not_depend_on_order(a in note(), b in note(), c in note()) {
        prop_assert_eq!(joined(&[&a, &b]), joined(&[&b, &a]));
        prop_assert_eq!(joined(&[&a, &a]), joined(&[&a]));
        let (left, right) = (joined(&[&a, &b]), joined(&[&b, &c]));
        prop_assert_eq!(joined(&[&left, &c]), joined(&[&a, &right]));
    }

    #[test]
    fn joining_pages_keeps_every_record_of_both(a in note(), b in note()) {
        let mut both = Page::parse(&joined(&[&a, &b]));
        both.convert_unread();
        for side in [a, b] {
            prop_assert!(Page::parse(&side).records().all(|record| both.contains(record.id())));
        }
    }

    #[test]
    fn bytes_between_records_hide_none_of_them(
        records in vec(bodies::record(), 1..5),
        between in vec(vec(any::<u8>(), 0..40), 6),
    ) {
        let mut note = between[0].clone();
        for (record, garbage) in records.iter().zip(&between[1..]) {
            note.extend_from_slice(record.as_bytes());
            note.extend_from_slice(garbage);
        }
        let page = Page::parse(&note);
        prop_assert!(records.iter().all(|record| page.contains(record.id())));
    }

    #[test]
    fn one_damaged_byte_costs_at_most_one_record(
        records in vec(bodies::record(), 1..5),
        at in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
    ) {
        let records: Vec<Record> = Page::of(records).records().cloned().collect();
        let mut note: Vec<u8> = records.iter().flat_map(Record::as_bytes).copied().collect();
        let at = at.index(note.len());
        note[at] ^= flip;
        prop_assert!(lost(&records, &note).len() <= 1);
    }
}

#[test]
fn a_cut_costs_only_the_record_it_goes_through() {
    let records = samples();
    let note: Vec<u8> = records.iter().flat_map(Record::as_bytes).copied().collect();
    for cut in 0..=note.len() {
        let mut end = 0;
        let whole: Vec<Record> = records
            .iter()
            .filter(|record| {
                end += record.as_bytes().len();
                end <= cut
            })
            .cloned()
            .collect();
        assert!(lost(&whole, &note[..cut]).is_empty(), "cut at {cut}");
        assert_eq!(Page::parse(&note[..cut]).records().len(), whole.len(), "cut at {cut}");
        // The same cut at the other end, and a hole in the middle, cost one record as well.
        assert!(lost(&records, &[&note[..cut], &note[(cut + 5).min(note.len())..]].concat()).len() <= 2);
        assert!(lost(&records, &note[cut..]).len() <= records.len() - whole_behind(&records, cut));
    }
}

#[test]
fn each_flipped_bit_costs_at_most_one_record() {
    let records = samples();
    let note: Vec<u8> = records.iter().flat_map(Record::as_bytes).copied().collect();
    for bit in 0..note.len() * 8 {
        let mut damaged = note.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(lost(&records, &damaged).len(), 1, "bit {bit}");
    }
}

#[test]
fn what_stock_git_puts_between_two_notes_costs_nothing() {
    let records = samples();
    let sides = [Page::of(records[..3].to_vec()).to_bytes(), Page::of(records[1..].to_vec()).to_bytes()];
    let whole = Page::of(records).to_bytes();
    for separator in [&b""[..], b"\n", b"\n\n", b"\n\n\n"] {
        for (first, last) in [(0, 1), (1, 0)] {
            let page = Page::parse(&[&sides[first], separator, &sides[last], separator].concat());
            assert!(page.unread().is_empty(), "newlines mean nothing");
            assert_eq!(page.to_bytes(), whole);
        }
    }
}

#[test]
fn words_before_between_and_behind_records_become_one_record() {
    let [first, second, ..] = &samples()[..] else { panic!("two samples") };
    let note = [
        &b"\nbefore\n"[..],
        first.as_bytes(),
        b"\n\nbetween\n\nand more\n\n",
        second.as_bytes(),
        b"caf\xe9\n",
    ]
    .concat();
    let mut page = Page::parse(&note);
    let foreign = |bytes: &[u8]| Unread::Foreign(bytes.to_vec());
    assert_eq!(page.unread(), [foreign(b"before"), foreign(b"between\n\nand more"), foreign(b"caf\xe9")]);
    page.convert_unread();
    let text = TextRecord { text: b"before\nbetween\n\nand more\ncaf\xe9".to_vec(), after: None };
    let text = Record::new(&Body::Text(text)).unwrap();
    assert_eq!(page.to_bytes(), Page::of([first.clone(), second.clone(), text]).to_bytes());
}

#[test]
fn remains_are_dropped_when_the_page_is_written_and_words_are_not() {
    let [first, second, ..] = &samples()[..] else { panic!("two samples") };
    let mut damaged = first.as_bytes().to_vec();
    damaged[6] ^= 1;
    let mut page = Page::parse(&[&damaged[..], b"\n\nwords\n", second.as_bytes()].concat());
    assert_eq!(page.unread(), [Unread::Remains(damaged), Unread::Foreign(b"words".to_vec())]);
    page.convert_unread();
    let kinds: Vec<&str> = page.records().map(Record::kind).collect();
    assert_eq!((kinds.len(), kinds.contains(&"text")), (2, true));
}

#[test]
fn a_note_without_any_record_is_all_words() {
    let mut page = Page::parse(b"reviewed by hand\n");
    assert_eq!((page.records().len(), page.unread().len()), (0, 1));
    page.convert_unread();
    assert_eq!(page.records().next().map(Record::kind), Some("text"));
    assert_eq!(page.to_bytes(), b"reviewed by hand\n", "and stays the plain note it was");
    assert!(Page::parse(b"").is_empty());
}

/// A few records of several sizes, in ascending order of id.
fn samples() -> Vec<Record> {
    let text = |text: &str| Record::new(&Body::Text(TextRecord { text: text.into(), after: None })).unwrap();
    let mut records = vec![text("a"), text(&"b\n".repeat(20)), text(&"c".repeat(300))];
    records.push(Record::from_bytes(&sealed("from-the-future", b"\x00\x0a\xd9\xd9", 23)).unwrap());
    records.sort();
    records
}

fn lost(records: &[Record], note: &[u8]) -> Vec<RecordId> {
    let page = Page::parse(note);
    records.iter().map(Record::id).filter(|id| !page.contains(*id)).collect()
}

/// How many records stand whole behind the first `cut` bytes of the note of `records`.
fn whole_behind(records: &[Record], cut: usize) -> usize {
    let mut start = 0;
    let behind = records.iter().filter(|record| {
        let stands_behind = start >= cut;
        start += record.as_bytes().len();
        stands_behind
    });
    behind.count()
}

fn joined(notes: &[&[u8]]) -> Vec<u8> {
    let mut page = Page::default();
    for note in notes {
        page.union(Page::parse(note));
    }
    page.to_bytes()
}
