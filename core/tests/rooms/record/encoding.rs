//! Encode and decode are inverse, and an independent reader agrees.

use ciborium::Value;
use postil_core::record::{
    Body, CommentRecord, EditRecord, LeftoverRecord, MoveRecord, Page, ProposalRecord, PurgeRecord,
    RECORD_TAG, Record, RequestRecord, ReviewRecord, SignatureRecord, StatusRecord, TextRecord,
    VerdictRecord,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;

use super::bodies;

use crate::fuzzed::sealing::{head, sealed};

proptest! {
    #[test]
    fn what_a_record_says_is_what_was_put_into_it(body in bodies::body()) {
        let record = Record::new(&body).unwrap();
        prop_assert_eq!(record.body().unwrap(), body);
        let again = Record::from_bytes(record.as_bytes()).unwrap();
        prop_assert_eq!(again.as_bytes(), record.as_bytes());
    }

    #[test]
    fn a_record_is_the_frame_that_the_format_describes(record in bodies::record()) {
        prop_assert_eq!(record.as_bytes(), sealed(record.kind(), record.body_bytes(), record.version()));
        let Value::Tag(55799, frame) = decoded(record.as_bytes()) else { panic!("the tag") };
        let frame = frame.into_array().unwrap();
        prop_assert_eq!(frame, vec![
            Value::Bytes(record.id().as_bytes().to_vec()),
            Value::Text(record.kind().to_owned()),
            Value::Bytes(record.body_bytes().to_vec()),
            Value::Integer(record.version().into()),
        ]);
    }

    #[test]
    fn an_independent_reader_finds_the_same_fields(body in bodies::body()) {
        let record = Record::new(&body).unwrap();
        prop_assert!(judged(&body, record.body_bytes()), "{:?}", body);
    }

    #[test]
    fn bodies_are_in_the_one_encoding_of_their_content(record in bodies::record()) {
        prop_assert_eq!(canonical(decoded(record.body_bytes())), record.body_bytes());
    }

    #[test]
    fn a_field_from_the_future_is_skipped_and_kept(
        body in bodies::body(),
        key in "[a-z]{1,4}-[a-z]{1,20}",
        value in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let known = Record::new(&body).unwrap();
        let mut fields = decoded(known.body_bytes()).into_map().unwrap();
        fields.push((Value::Text(key), Value::Array(vec![Value::Null, Value::Bytes(value)])));
        let bytes = sealed(known.kind(), &canonical(Value::Map(fields)), known.version());
        let future = Record::from_bytes(&bytes).unwrap();
        prop_assert_eq!(future.body().unwrap(), body);
        prop_assert_ne!(future.id(), known.id());
        prop_assert_eq!(rewritten(&bytes), bytes);
    }

    #[test]
    fn kinds_and_versions_from_the_future_are_kept_byte_for_byte(
        kind in "[a-z-]{1,32}",
        body in proptest::collection::vec(any::<u8>(), 0..300),
        version in (0..=23_u8).prop_filter("a newline", |version| *version != 10),
    ) {
        let bytes = sealed(&kind, &body, version);
        let page = Page::parse(&bytes);
        let records: Vec<&Record> = page.records().collect();
        prop_assert_eq!(records.len(), 1);
        prop_assert_eq!((records[0].kind(), records[0].version()), (kind.as_str(), version));
        prop_assert_eq!(records[0].body_bytes(), body);
        prop_assert!(matches!(version, 1 | 2) || records[0].body().is_err());
        prop_assert_eq!(rewritten(&bytes), bytes);
    }

    #[test]
    fn no_record_that_passes_the_door_holds_the_tag_twice(body in bodies::body()) {
        let record = Record::new(&body).unwrap();
        let behind_the_id = &record.as_bytes()[21..];
        prop_assert!(memchr::memmem::find(behind_the_id, &RECORD_TAG).is_none());
    }
}

#[test]
fn versions_up_to_23_but_ten_are_records_and_nothing_else_is() {
    for version in 0..=u8::MAX {
        let bytes = sealed("text", b"\xa0", version);
        assert_eq!(Record::from_bytes(&bytes).is_ok(), version <= 23 && version != 10, "{version}");
    }
}

#[test]
fn kinds_are_1_to_32_of_lowercase_letters_and_dashes() {
    for (kind, is_one) in [
        ("a", true),
        ("-", true),
        (&"z".repeat(32), true),
        ("", false),
        (&"z".repeat(33), false),
        ("Text", false),
        ("text ", false),
        ("text2", false),
        ("té", false),
    ] {
        assert_eq!(Record::from_bytes(&sealed(kind, b"\xa0", 1)).is_ok(), is_one, "{kind:?}");
    }
}

#[test]
fn a_body_of_one_mebibyte_is_a_record_and_one_byte_more_is_not() {
    let body = vec![0; (1 << 20) + 1];
    assert!(Record::from_bytes(&sealed("text", &body[1..], 1)).is_ok());
    assert!(Record::from_bytes(&sealed("text", &body, 1)).is_err());
}

#[test]
fn null_stands_for_a_field_that_is_not_there() {
    let fields = [(&b"\x64text"[..], &b"\x41a"[..]), (b"\x65after", b"\xf6")];
    let body = [head(5, 2), fields.map(|(key, value)| [key, value].concat()).concat()].concat();
    let record = Record::from_bytes(&sealed("text", &body, 1)).unwrap();
    assert_eq!(record.body(), Ok(Body::Text(TextRecord { text: b"a".to_vec(), after: None })));
}

fn rewritten(note: &[u8]) -> Vec<u8> {
    let mut page = Page::parse(note);
    page.convert_unread();
    page.to_bytes()
}

fn decoded(bytes: &[u8]) -> Value {
    let mut rest = bytes;
    let value = ciborium::from_reader(&mut rest).unwrap();
    assert!(rest.is_empty(), "exactly one item");
    value
}

/// RFC 8949 §4.2.1, once more and on its own: shortest heads, definite lengths, keys by their bytes.
fn canonical(value: Value) -> Vec<u8> {
    match value {
        Value::Integer(number) => match u64::try_from(number) {
            Ok(number) => head(0, number),
            Err(_) => head(1, u64::try_from(-1 - i128::from(number)).unwrap()),
        },
        Value::Bytes(bytes) => [head(2, bytes.len() as u64), bytes].concat(),
        Value::Text(text) => [head(3, text.len() as u64), text.into_bytes()].concat(),
        Value::Array(items) => {
            let count = head(4, items.len() as u64);
            std::iter::once(count).chain(items.into_iter().map(canonical)).collect::<Vec<_>>().concat()
        }
        Value::Map(entries) => {
            let mut entries: Vec<(Vec<u8>, Vec<u8>)> =
                entries.into_iter().map(|(key, item)| (canonical(key), canonical(item))).collect();
            entries.sort();
            let mut bytes = head(5, entries.len() as u64);
            for (key, item) in entries {
                bytes.extend([key, item].concat());
            }
            bytes
        }
        Value::Bool(truth) => vec![0xf4 + u8::from(truth)],
        Value::Null => vec![0xf6],
        other => panic!("bodies hold no {other:?}"),
    }
}

/// Whether ciborium reads from `bytes` what `body` says.
fn judged(body: &Body, bytes: &[u8]) -> bool {
    match body {
        Body::Review(said) => *said == typed::<ReviewRecord>(bytes),
        Body::Comment(said) => *said == typed::<CommentRecord>(bytes),
        Body::Edit(said) => *said == typed::<EditRecord>(bytes),
        Body::Status(said) => *said == typed::<StatusRecord>(bytes),
        Body::Move(said) => *said == typed::<MoveRecord>(bytes),
        Body::Verdict(said) => *said == typed::<VerdictRecord>(bytes),
        Body::Proposal(said) => *said == typed::<ProposalRecord>(bytes),
        Body::Request(said) => *said == typed::<RequestRecord>(bytes),
        Body::Signature(said) => *said == typed::<SignatureRecord>(bytes),
        Body::Purge(said) => *said == typed::<PurgeRecord>(bytes),
        Body::Text(said) => *said == typed::<TextRecord>(bytes),
        Body::Leftover(said) => *said == typed::<LeftoverRecord>(bytes),
        Body::Positions(said) => {
            let entries = said.entries.iter().map(|entry| decoded(entry.as_bytes())).collect();
            let fields = vec![
                (Value::Text("head".into()), Value::Bytes(said.head.as_bytes().to_vec())),
                (Value::Text("time".into()), Value::Integer(said.time.into())),
                (Value::Text("entries".into()), Value::Array(entries)),
            ];
            Value::Map(fields) == decoded(bytes)
        }
    }
}

fn typed<T: DeserializeOwned>(bytes: &[u8]) -> T {
    ciborium::from_reader(bytes).unwrap()
}
