//! Notes that were made to harm: other encodings, bombs, and numbers that claim too much.

use postil_core::record::{
    Body, BodyError, LeftoverRecord, MAX_BODY_BYTES, NotDeterministic, Page, RECORD_TAG, Record, Seq, Unread,
};

use crate::fuzzed::sealing::{framed, head, sealed};

const AUTHOR: &[u8] = b"\x66author\xa2\x64name\x63Ada\x65email\x61@";

/// A comment body with these bytes for `seq`.
fn comment_with_seq(seq: &[u8]) -> Vec<u8> {
    [b"\xa4\x62at\x01\x63seq", seq, b"\x64text\x62hi", AUTHOR].concat()
}

fn good() -> Vec<u8> {
    sealed("comment", &comment_with_seq(b"\x07"), 1)
}

#[test]
fn a_record_in_another_encoding_is_none_and_costs_no_other() {
    let record = good();
    let (id, rest) = (&record[5..21], &record[21..]);
    let (kind, body, version) = (&rest[..8], &rest[10..rest.len() - 1], &rest[rest.len() - 1..]);
    assert_eq!((kind[0], rest[8], usize::from(rest[9])), (0x67, 0x58, body.len()), "as laid out above");
    let length = rest[9];
    let tag = &RECORD_TAG[..];
    let others: [(&str, Vec<u8>); 12] = [
        ("an array without length", [tag, b"\x9f\x50", id, rest, b"\xff"].concat()),
        ("a long array head", [tag, b"\x98\x04\x50", id, rest].concat()),
        ("a long id head", [tag, b"\x84\x58\x10", id, rest].concat()),
        ("an id in pieces", [tag, b"\x84\x5f\x50", id, b"\xff", rest].concat()),
        ("a long kind head", [tag, b"\x84\x50", id, b"\x78", &[7], &kind[1..], &rest[8..]].concat()),
        ("a kind in bytes", [tag, b"\x84\x50", id, &[0x47], &kind[1..], &rest[8..]].concat()),
        ("a long body head", [tag, b"\x84\x50", id, kind, &[0x59, 0, length], body, version].concat()),
        (
            "a longer body head",
            [tag, b"\x84\x50", id, kind, &[0x5a, 0, 0, 0, length], body, version].concat(),
        ),
        ("a body in pieces", [tag, b"\x84\x50", id, kind, &[0x5f, 0x58, length], body, b"\xff\x01"].concat()),
        ("a long version", [tag, b"\x84\x50", id, kind, &[0x58, length], body, b"\x18\x01"].concat()),
        ("a wide tag", [b"\xda\x00\x00\xd9\xf7\x84\x50", id, rest].concat()),
        ("a wider tag", [b"\xdb\x00\x00\x00\x00\x00\x00\xd9\xf7\x84\x50", id, rest].concat()),
    ];
    for (what, bytes) in others {
        assert_eq!(Page::parse(&bytes).records().len(), 0, "{what}");
        let page = Page::parse(&[&bytes[..], &sealed("text", b"\xa0", 1), b"\n\n", &bytes].concat());
        assert_eq!(page.records().len(), 1, "{what}");
        // With an id that is right for the other form, it is none either.
        if bytes.starts_with(b"\xd9\xd9\xf7\x84\x50") {
            assert_eq!(Page::parse(&framed(&bytes[21..])).records().len(), 0, "{what}");
        }
    }
    assert_eq!(Page::parse(&record).records().len(), 1);
}

#[test]
fn a_body_in_another_encoding_is_kept_and_not_understood() {
    let check = |body: Vec<u8>, expected: NotDeterministic| {
        let bytes = sealed("comment", &body, 1);
        let page = Page::parse(&bytes);
        let record = page.records().next().expect("the frame is sound");
        let kind = "comment".to_owned();
        assert_eq!(record.body(), Err(BodyError::Encoding { kind, source: expected }), "{body:02x?}");
        assert_eq!(page.to_bytes(), bytes);
    };
    let sound = comment_with_seq(b"\x07");
    check([b"\xbf", &sound[1..], b"\xff"].concat(), NotDeterministic::LongHead);
    check([b"\xb8\x04", &sound[1..]].concat(), NotDeterministic::LongHead);
    check(comment_with_seq(b"\x18\x07"), NotDeterministic::LongHead);
    check(comment_with_seq(b"\x7f\x61a\xff"), NotDeterministic::LongHead);
    check(comment_with_seq(b"\x1c"), NotDeterministic::LongHead);
    check([&sound[..], b"\x00"].concat(), NotDeterministic::Trailing);
    check([b"\xa5", &sound[1..], b"\x62at\x01"].concat(), NotDeterministic::KeyOrder);
    check([b"\xa5", &sound[1..], AUTHOR].concat(), NotDeterministic::KeyOrder);
    check([b"\xd9\xd9\xf6", &sound[..]].concat(), NotDeterministic::NotAMap);
    check(vec![], NotDeterministic::CutShort);
}

#[test]
fn keys_that_are_no_texts_are_not_taken_for_fields() {
    // A reader of struct fields by number would take 0 for the first field.
    let body = [b"\xa5\x00\xa2\x64name\x61M\x65email\x61m", &comment_with_seq(b"\x07")[1..]].concat();
    let record = Record::from_bytes(&sealed("comment", &body, 1)).unwrap();
    assert!(matches!(record.body(), Err(BodyError::Fields { .. })), "{:?}", record.body());
}

#[test]
fn the_greatest_seq_reads_as_the_last_one() {
    let record = sealed("comment", &comment_with_seq(b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff"), 1);
    let Ok(Body::Comment(comment)) = Record::from_bytes(&record).unwrap().body() else { panic!("a comment") };
    assert_eq!((comment.seq, comment.seq.get()), (Seq::MAX, 1 << 40));
    assert_eq!(comment.seq.next(), Seq::MAX);
    assert_eq!(Page::parse(&record).to_bytes(), record, "and is kept as it was written");
}

#[test]
fn a_body_nested_sixteen_deep_is_read_and_deeper_ones_are_not() {
    let nested = |depth: usize| {
        let body = [b"\xa2\x61x", &vec![0x81; depth][..], b"\x00\x64text\x41a"].concat();
        Record::from_bytes(&sealed("text", &body, 1)).unwrap()
    };
    assert!(nested(15).body().is_ok());
    for depth in [16, 1000, MAX_BODY_BYTES - 100] {
        let too_deep = BodyError::Encoding { kind: "text".into(), source: NotDeterministic::TooDeep };
        assert_eq!(nested(depth).body(), Err(too_deep), "{depth}");
    }
    let tags = [b"\xa1\x61x", &vec![0xc1; 100_000][..], b"\x00"].concat();
    assert!(Record::from_bytes(&sealed("text", &tags, 1)).unwrap().body().is_err());
}

#[test]
fn a_claim_of_more_than_there_is_costs_nothing() {
    for length in [1 << 20, (1 << 20) + 1, u64::from(u32::MAX), 1 << 32, 1 << 63, u64::MAX] {
        // The claim of the frame itself.
        let frame = framed(&[b"\x64text", &head(2, length)[..], b"\xa0\x01"].concat());
        assert_eq!(Page::parse(&frame).records().len(), 0, "{length}");
        // The same claim inside a sound frame, for every kind of item that has a length.
        for major in 2..=5 {
            for kind in ["text", "comment", "positions", "purge", "leftover"] {
                for key in [&b"\x61x"[..], b"\x62of", b"\x64text", b"\x65bytes", b"\x67entries"] {
                    let body = [b"\xa1", key, &head(major, length)].concat();
                    let record = Record::from_bytes(&sealed(kind, &body, 1)).unwrap();
                    assert!(matches!(record.body(), Err(BodyError::Encoding { .. })), "{kind} {length}");
                }
            }
        }
    }
}

#[test]
fn positions_with_entries_that_lie_are_not_understood() {
    let check = |entry: &[u8], understood: bool| {
        let head = b"\xa3\x64head\x54aaaaaaaaaaaaaaaaaaaa\x64time\x00\x67entries\x81";
        let record = Record::from_bytes(&sealed("positions", &[head, entry].concat(), 1)).unwrap();
        assert_eq!(record.body().is_ok(), understood, "{entry:02x?}");
        if let Ok(Body::Positions(positions)) = record.body() {
            assert!(positions.entries.iter().all(|entry| entry.read().is_err()), "carried, not read");
        }
    };
    let id = b"\x50cccccccccccccccc";
    check(&[b"\x83", &id[..], b"\x01\x02"].concat(), true);
    check(&[b"\x83", &id[..], b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x02"].concat(), true);
    check(&[b"\x82", &id[..], b"\x01"].concat(), false);
    check(b"\x83\x41c\x01\x02", false);
    check(&[b"\x83", &id[..], b"\x20\x02"].concat(), false);
    check(b"\xa0", false);
    check(&[b"\x84", &id[..], b"\x01\x02\x59\x10\x00", &[0; 4096]].concat(), false);
    let basis_from_the_future = [b"\x89", &id[..], b"\x01\x09\x00\xf6\xf6\x00\x60\x80"].concat();
    check(&basis_from_the_future, true);
}

/// A note of `length` bytes, made of frames that each claim all that follows, up to the bound.
fn bomb(length: usize) -> Vec<u8> {
    let mut note = vec![0; length];
    let step = 48;
    for at in (0..length.saturating_sub(2 * step)).step_by(step) {
        let claim = (length - at - 64).min(MAX_BODY_BYTES);
        let frame =
            [&[0xd9, 0xd9, 0xf7, 0x84, 0x50], &[7; 16][..], b"\x64bomb", &head(2, claim as u64)].concat();
        note[at..at + frame.len()].copy_from_slice(&frame);
    }
    note
}

/// How many bytes of the bomb a reader may look at: its frames' claims, counted up to the budget.
fn looked_at(note: &[u8]) -> usize {
    let (mut hashed, mut at) = (0, 0);
    loop {
        let claim = (note.len() - at - 64).min(MAX_BODY_BYTES);
        hashed += 5 + head(2, claim as u64).len() + claim + 1;
        if hashed > 4 * note.len() {
            return at;
        }
        at += 48;
    }
}

#[test]
fn frames_that_each_claim_the_rest_stop_a_reader_at_four_times_the_length() {
    for length in [10_000, 1 << 20, 4 << 20] {
        let note = bomb(length);
        let page = Page::parse(&note);
        let [Unread::Remains(before), Unread::OverBudget(rest)] = page.unread() else {
            panic!("{} pieces", page.unread().len());
        };
        assert_eq!((before.len(), before.len() + rest.len()), (looked_at(&note), length));
    }
}

#[test]
fn what_was_not_looked_at_is_kept_once_and_for_all() {
    let note = [&good()[..], &bomb(3 << 20), &sealed("text", b"\xa0", 1)].concat();
    let mut page = Page::parse(&note);
    let Some(Unread::OverBudget(rest)) = page.unread().last().cloned() else { panic!("over budget") };
    assert!(page.contains(Record::from_bytes(&good()).unwrap().id()));
    page.convert_unread();
    let written = page.to_bytes();
    let again = Page::parse(&written);
    assert!(again.unread().is_empty(), "no budget is needed for what was settled");
    assert_eq!(again.to_bytes(), written);

    // The pieces name each other, so that the bytes can be had back in their order.
    let mut pieces: Vec<(Record, LeftoverRecord)> = Vec::new();
    for record in again.records() {
        if let Ok(Body::Leftover(leftover)) = record.body() {
            pieces.push((record.clone(), leftover));
        }
    }
    let (mut back, mut after) = (Vec::new(), None);
    while let Some((record, piece)) = pieces.iter().find(|(_, piece)| piece.after == after) {
        back.extend_from_slice(&piece.bytes);
        after = Some(record.id());
    }
    assert_eq!(back, rest);
    crate::fuzzed::note_page::note_page(&note);
}

#[test]
fn honest_notes_are_never_over_budget() {
    let records: Vec<u8> =
        (0..200_u8).flat_map(|i| sealed("word", &vec![i; usize::from(i) * 7], 1)).collect();
    let note = [&records[..], b"\n\n", &records, b"\n", &records, b"words", &records].concat();
    let page = Page::parse(&note);
    assert_eq!((page.records().len(), page.unread().len()), (200, 1));
    // Every fourth record damaged in its body: each is hashed once, and none is hidden.
    let mut damaged = note.clone();
    for at in memchr::memmem::find_iter(&note, &RECORD_TAG).step_by(4) {
        damaged[at + 21 + 3] ^= 1;
    }
    let page = Page::parse(&damaged);
    assert!(!page.unread().iter().any(|unread| matches!(unread, Unread::OverBudget(_))));
    assert!(page.records().len() >= 150);
}
