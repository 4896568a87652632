//! Checks `docs/format.md` against the code: every example, every bound, every kind.
//!
//! An example is a fenced block ```` ```hex name ```` of bytes, with comments behind `#`, and a block
//! ```` ```diag name ```` that says the same in CBOR's diagnostic notation (RFC 8949 §8).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use ciborium::Value;
use postil_core::record::{
    Body, CONTEXT_LINES, MAX_ANCHOR_LINES, MAX_BODY_BYTES, MAX_LINE_BYTES, MAX_PATH_BYTES, MAX_VIA_BYTES,
    Page, Record, RecordId, SignatureFormat, TextRecord, Unread,
};
use postil_testkit::skipped;

use crate::fuzzed::sealing::sealed;

const KINDS: [&str; 13] = [
    "review",
    "comment",
    "edit",
    "status",
    "move",
    "verdict",
    "proposal",
    "request",
    "signature",
    "purge",
    "positions",
    "text",
    "leftover",
];

/// The items of one example, as an independent reader of CBOR finds them.
struct Example {
    name: String,
    bytes: Vec<u8>,
    says: String,
}

#[test]
fn every_example_says_what_stands_beside_it() {
    for example in examples() {
        let notation: Vec<String> = sequence(&example.bytes).iter().map(notation).collect();
        assert_eq!(without_blanks(&notation.join("")), without_blanks(&example.says), "{}", example.name);
    }
}

#[test]
fn every_record_of_the_examples_is_read_and_made_again_as_the_same_bytes() {
    let mut seen = BTreeMap::new();
    for example in examples() {
        let page = Page::parse(&example.bytes);
        assert_eq!(page.unread(), [], "{}", example.name);
        let framed: Vec<Framed> = sequence(&example.bytes).iter().filter_map(Framed::of).collect();
        assert_eq!(page.records().len(), framed.len(), "{}", example.name);
        for expected in framed {
            let record = page.records().find(|record| record.id() == expected.id).unwrap();
            let kind_and_version = (expected.kind.as_str(), expected.version);
            assert_eq!((record.kind(), record.version()), kind_and_version, "{}", example.name);
            assert_eq!(record.body_bytes(), expected.body, "{}", example.name);
            let again = Record::new(&record.body().unwrap()).unwrap();
            assert_eq!(again.as_bytes(), record.as_bytes(), "{}", example.name);
            *seen.entry(expected.kind).or_insert(0) += 1;
        }
    }
    for kind in ["comment", "signature", "status", "text", "positions", "proposal", "request"] {
        assert!(seen.contains_key(kind), "an example of kind {kind}");
    }
    assert!(seen["comment"] >= 2, "a comment and a reply");
}

#[test]
fn the_example_of_a_merged_note_is_written_back_without_its_newlines() {
    let note = examples().into_iter().find(|example| example.name == "a-merged-note").unwrap().bytes;
    assert!(memchr::memmem::find(&note, b"\n\n\xd9\xd9\xf7").is_some(), "as a union merge leaves it");
    let page = Page::parse(&note);
    let ids: Vec<RecordId> = page.records().map(Record::id).collect();
    assert!(ids.is_sorted() && ids.len() == 2);
    let expected: Vec<u8> = page.records().flat_map(Record::as_bytes).copied().collect();
    assert_eq!((page.to_bytes().len(), page.to_bytes()), (note.len() - 2, expected));
}

#[test]
fn a_reader_that_knows_none_of_the_later_fields_kinds_and_versions_keeps_them_byte_for_byte() {
    const FIRST_KINDS: [&str; 11] = [
        "review",
        "comment",
        "edit",
        "status",
        "move",
        "verdict",
        "signature",
        "purge",
        "positions",
        "text",
        "leftover",
    ];
    let later =
        ["a-proposal", "an-accepted-proposal", "a-request", "a-comment-on-a-message"].map(record_named);
    let unknown: Vec<&Record> = later
        .iter()
        .filter(|record| record.version() != 1 || !FIRST_KINDS.contains(&record.kind()))
        .collect();
    assert_eq!(unknown.len(), 3, "new kinds and a new version, which such a reader does not open");
    for record in &later {
        // Fields that it does not know are skipped, and who did it and when is read as before.
        let [Value::Map(fields)] = &sequence(record.body_bytes())[..] else { panic!("a map") };
        let field =
            |name: &str| fields.iter().find(|(key, _)| key.as_text() == Some(name)).unwrap().1.clone();
        let body = record.body().unwrap();
        let (author, at) = body.made_by().unwrap();
        let mut named = field("author").into_map().unwrap();
        named.sort_by_key(|(key, _)| key.as_text().map(str::len));
        let text = |text: &str| Value::Text(text.to_owned());
        let expected = vec![(text("name"), text(&author.name)), (text("email"), text(&author.email))];
        assert_eq!((named, field("at")), (expected, Value::Integer(at.0.into())));
    }
    // Carrying and merging looks at no body: whatever order git left them in, each is written as it was read.
    let mut sorted = later.to_vec();
    sorted.sort();
    let expected: Vec<u8> = sorted.iter().flat_map(|record| record.as_bytes().to_vec()).collect();
    for turn in 0..later.len() {
        let mut turned = later.to_vec();
        turned.rotate_left(turn);
        let note: Vec<Vec<u8>> = turned.iter().map(|record| record.as_bytes().to_vec()).collect();
        assert_eq!(Page::parse(&note.join(&b"\n\n"[..])).to_bytes(), expected);
    }
}

#[test]
fn a_program_is_the_author_of_what_it_writes() {
    let body = record_named("a-proposal").body().unwrap();
    let (author, _) = body.made_by().unwrap();
    let via = body.via().unwrap();
    assert_eq!((*author).clone(), via.author());
    assert_eq!(via.person.as_ref().map(|person| person.name.as_str()), Some("Bob"));
}

#[test]
fn a_version_that_does_not_fit_the_body_is_not_understood() {
    for (name, other) in [("a-comment-on-a-message", 1), ("a-comment", 2), ("a-proposal", 2)] {
        let record = record_named(name);
        assert!(record.body().is_ok());
        let resealed = sealed(record.kind(), record.body_bytes(), other);
        let resealed = Record::from_bytes(&resealed).unwrap();
        assert!(resealed.body().is_err(), "{name}");
        assert_eq!(Page::parse(resealed.as_bytes()).to_bytes(), resealed.as_bytes(), "{name}");
    }
}

#[test]
fn the_example_of_a_signature_is_what_ssh_keygen_wrote_over_the_whole_hash() {
    let (comment, signature) = (record_named("a-comment"), record_named("a-signature"));
    let Ok(Body::Signature(said)) = signature.body() else { panic!("a signature") };
    assert_eq!((said.of, &said.format), (comment.id(), &SignatureFormat::Ssh));
    assert_eq!(said.signature, text_named("ssh-signature").as_bytes());
    let digits: String = comment.full_hash().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(format_page().contains(&format!("`{digits}`")), "{digits}");
}

#[test]
fn ssh_keygen_verifies_the_example_and_nothing_else_in_its_place() {
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        return skipped("ssh-keygen");
    }
    let dir = tempfile::tempdir().unwrap();
    let (allowed, signature) = (dir.path().join("allowed"), dir.path().join("signature"));
    std::fs::write(&allowed, text_named("allowed-signers")).unwrap();
    std::fs::write(&signature, text_named("ssh-signature")).unwrap();
    let holds = |namespace: &str, message: &[u8]| {
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", "verify", "-I", "ada@example.org", "-n", namespace, "-f"]).arg(&allowed);
        command.arg("-s").arg(&signature).args(["-O", "verify-time=20231114221320"]).env("TZ", "UTC0");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(message).unwrap();
        child.wait().unwrap().success()
    };
    let hash = record_named("a-comment").full_hash();
    assert!(holds("postil", &hash));
    assert!(!holds("git", &hash), "another namespace");
    assert!(!holds("postil", &hash[..16]), "the id alone");
    assert!(!holds("postil", &record_named("a-reply").full_hash()), "another record");
}

#[test]
fn every_bound_is_stated_as_it_is() {
    let format = format_page();
    for (name, bound) in [
        ("MAX_BODY_BYTES", MAX_BODY_BYTES),
        ("MAX_LINE_BYTES", MAX_LINE_BYTES),
        ("MAX_PATH_BYTES", MAX_PATH_BYTES),
        ("MAX_ANCHOR_LINES", MAX_ANCHOR_LINES),
        ("MAX_VIA_BYTES", MAX_VIA_BYTES),
        ("CONTEXT_LINES", CONTEXT_LINES),
    ] {
        let row = format!("| `{name}` | {bound} |");
        assert!(format.lines().any(|line| line.starts_with(&row)), "{row}");
    }
}

#[test]
fn every_kind_has_its_section() {
    let format = format_page();
    for kind in KINDS {
        assert!(format.lines().any(|line| line == format!("### `{kind}`")), "{kind}");
    }
}

#[test]
fn words_alone_stay_a_plain_note() {
    let mut page = Page::parse(b"LGTM\n");
    assert_eq!(page.unread(), [Unread::Foreign(b"LGTM\n".to_vec())]);
    page.convert_unread();
    assert_eq!(page.records().next().map(Record::kind), Some(TextRecord::KIND));
    assert_eq!(page.to_bytes(), b"LGTM\n");
}

/// A record as the format describes it, taken apart by an independent reader.
struct Framed {
    id: RecordId,
    kind: String,
    body: Vec<u8>,
    version: u8,
}

impl Framed {
    fn of(item: &Value) -> Option<Self> {
        let Value::Tag(55799, frame) = item else { return None };
        let Value::Array(parts) = &**frame else { return None };
        let [Value::Bytes(id), Value::Text(kind), Value::Bytes(body), Value::Integer(version)] = &parts[..]
        else {
            return None;
        };
        let version = u8::try_from(*version).ok()?;
        Some(Self { id: RecordId::from_bytes(id)?, kind: kind.clone(), body: body.clone(), version })
    }
}

fn record_named(name: &str) -> Record {
    let example = examples().into_iter().find(|example| example.name == name).unwrap();
    Record::from_bytes(&example.bytes).unwrap()
}

/// A block of text, each line with its newline.
fn text_named(name: &str) -> String {
    let format = format_page();
    let mut lines = format.lines().skip_while(|line| *line != format!("```text {name}")).skip(1);
    block(&mut lines).flat_map(|line| [line, "\n"]).collect()
}

fn format_page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/format.md")).unwrap()
}

fn examples() -> Vec<Example> {
    let format = format_page();
    let (mut bytes, mut says) = (BTreeMap::new(), BTreeMap::new());
    let mut lines = format.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```hex ") {
            let digits = block(&mut lines).map(|line| line.split('#').next().unwrap_or_default());
            bytes.insert(name.to_owned(), from_hex(&digits.collect::<String>()));
        } else if let Some(name) = line.strip_prefix("```diag ") {
            says.insert(name.to_owned(), block(&mut lines).collect::<String>());
        }
    }
    assert!(bytes.len() >= 5, "the examples are there");
    assert!(bytes.keys().eq(says.keys()), "each in both notations");
    let both = bytes.into_iter().zip(says.into_values());
    both.map(|((name, bytes), says)| Example { name, bytes, says }).collect()
}

fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    lines.take_while(|line| *line != "```")
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits = without_blanks(digits);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn sequence(mut bytes: &[u8]) -> Vec<Value> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        items.push(ciborium::from_reader(&mut bytes).unwrap());
    }
    items
}

/// Diagnostic notation; the body of a record as embedded CBOR.
fn notation(item: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(notation).collect::<Vec<_>>().join(", ");
    match item {
        Value::Tag(55799, _) if Framed::of(item).is_some() => {
            let framed = Framed::of(item).unwrap();
            let [body] = &sequence(&framed.body)[..] else { panic!("one item") };
            let Framed { id, kind, version, .. } = &framed;
            format!("55799([h'{id}', \"{kind}\", <<{}>>, {version}])", notation(body))
        }
        Value::Integer(number) => i128::from(*number).to_string(),
        Value::Bytes(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("h'{}'", digits.concat())
        }
        Value::Text(text) => format!("{text:?}"),
        Value::Array(items) => format!("[{}]", list(items)),
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| format!("{}: {}", notation(key), notation(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "null".to_owned(),
        other => panic!("examples hold no {other:?}"),
    }
}
