//! A record hidden inside another one is never found, because it cannot be written.

use postil_core::git::RepoPath;
use postil_core::record::{
    Anchor, AnchorSide, Author, Body, CommentAnchor, CommentRecord, Line, MAX_LINE_BYTES, Page, RECORD_TAG,
    Record, RecordError, RecordId, Seq, SuggestedEdit, SuggestedFile, Timestamp,
};

use crate::fuzzed::sealing::{head, sealed};

/// What an attacker would like to be found: it says whatever they want in anybody's name.
///
/// They try until its bytes could be those of a path, too.
fn forged() -> Vec<u8> {
    let mut attempts = (0x20..=0xff).map(|nonce| sealed("comment", &[0xa1, 0x61, b'x', 0x18, nonce], 1));
    attempts.find(|bytes| RepoPath::new(&bytes[..]).is_some()).expect("one in two is a path")
}

fn comment(lines: Vec<Line>, suggestion: Vec<SuggestedFile>) -> Body {
    Body::Comment(CommentRecord {
        author: Author { name: "Ada".into(), email: "ada@example.org".into() },
        at: Timestamp(1_700_000_000_000),
        seq: Seq::default(),
        via: None,
        review: None,
        parent: None,
        anchor: Some(CommentAnchor::File(Anchor {
            commit: None,
            path: RepoPath::new(*b"src/lib.rs").unwrap(),
            blob: None,
            side: AnchorSide::New,
            range: None,
            lines,
            before: Vec::new(),
            after: Vec::new(),
            quote: None,
            headings: Vec::new(),
            scope: Vec::new(),
        })),
        text: "why?".into(),
        severity: None,
        tags: Vec::new(),
        suggestion,
    })
}

fn suggestion(path: &[u8], text: Vec<u8>) -> Vec<SuggestedFile> {
    vec![SuggestedFile {
        path: RepoPath::new(path).unwrap(),
        blob: None,
        new_path: None,
        mode: None,
        delete: false,
        edits: vec![SuggestedEdit { start: 0, end: 0, text }],
    }]
}

/// File content that holds the forged record: as it is, and completed by the head in front of it.
///
/// A head ends in `d9` when the length does, and in `d9 d9` when its last two bytes do.
fn smuggling(longest: usize) -> Vec<Vec<u8>> {
    let mut contents = vec![forged(), [b"-- ", &forged()[..], b" --"].concat()];
    for (cut, length) in [(1, 0xd9), (1, 0x01d9), (1, 0x0fd9), (2, 0xd9d9), (1, 0x1_00d9)] {
        let mut content = forged()[cut..].to_vec();
        content.resize(length, b' ');
        contents.push(content);
    }
    contents.retain(|content| content.len() <= longest);
    contents
}

/// Every record that some damage to `outer` lets a reader find.
fn found_in_damaged(outer: &[u8]) -> Vec<RecordId> {
    let mut found = Vec::new();
    for at in 0..outer.len() {
        let mut damaged = outer.to_vec();
        damaged[at] ^= 0x20;
        for note in [&damaged[..], &outer[at..]] {
            found.extend(Page::parse(note).records().map(Record::id));
        }
    }
    found.retain(|id| *id != Record::from_bytes(outer).unwrap().id());
    found.sort();
    found.dedup();
    found
}

#[test]
fn without_the_door_a_quoted_line_would_become_a_record() {
    for content in smuggling(MAX_LINE_BYTES) {
        let body = [b"\xa1\x64line", &head(2, content.len() as u64)[..], &content].concat();
        let outer = sealed("quote", &body, 1);
        let forged = Record::from_bytes(&forged()).unwrap().id();
        assert_eq!(found_in_damaged(&outer), [forged], "{} bytes", content.len());
    }
}

#[test]
fn a_line_that_hides_a_record_is_stored_as_its_hash() {
    for content in smuggling(usize::MAX) {
        let refused = Record::new(&comment(vec![Line::Text(content.clone())], Vec::new()));
        assert_eq!(refused, Err(RecordError::LineNotHashed));
        let outer = Record::new(&comment(vec![Line::new(&content)], Vec::new())).unwrap();
        assert_eq!(found_in_damaged(outer.as_bytes()), []);
        let Ok(Body::Comment(comment)) = outer.body() else { panic!("a comment") };
        assert!(
            comment.anchor.as_ref().unwrap().file().unwrap().lines[0].is(&content),
            "the line is still known"
        );
    }
}

#[test]
fn a_suggestion_that_hides_a_record_is_refused() {
    for content in smuggling(usize::MAX) {
        let body = comment(Vec::new(), suggestion(b"a", content));
        assert!(matches!(Record::new(&body), Err(RecordError::SuggestionHoldsTag { .. })));
    }
}

#[test]
fn a_path_that_hides_a_record_is_refused() {
    for content in smuggling(MAX_LINE_BYTES) {
        let body = comment(Vec::new(), suggestion(&content, Vec::new()));
        assert!(matches!(Record::new(&body), Err(RecordError::PathHoldsTag { .. })));
    }
}

#[test]
fn a_piece_of_the_tag_that_nothing_completes_is_stored_as_it_is() {
    for content in [&b"\xd9\xd9"[..], b"x\xf7\x84\x50", b"\xd9\xd9\x84\xf7", b"ends in \xd9\xd9"] {
        let outer = Record::new(&comment(vec![Line::new(content); 2], suggestion(b"a", content.to_vec())));
        let outer = outer.unwrap();
        assert!(memchr::memmem::find(outer.as_bytes(), content).is_some());
        assert!(memchr::memmem::find(&outer.as_bytes()[21..], &RECORD_TAG).is_none());
    }
}
