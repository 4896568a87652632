//! A remote whose notes were made to do harm: what comes is bounded, reported, and harmless.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use gix::objs::Write as _;
use postil_core::git::RepoPath;
use postil_core::notes::{Home, NotesError};
use postil_core::record::{
    Anchor, AnchorSide, Author, Body, CommentRecord, EditRecord, RECORD_TAG, Record, RecordId, Seq,
    StatusRecord, StatusWord, SuggestedEdit, SuggestedFile, Timestamp,
};
use postil_core::sync::{ExchangeDirection, SyncError};
use postil_testkit::{by_alice, comment};

use super::team::{LIMIT, Team};

const NOTES: &str = "refs/notes/reviews";
const NOTE: &str = "abababababababababababababababababababab";

/// So many notes come at once.
const ENTRIES: u32 = 10_000;

/// However bad it is, nobody waits longer; generous, since machines are busy.
const BOUND: Duration = Duration::from_mins(2);

/// Alice, who has said something, and a remote whose notes are these files.
fn with_notes(files: &[(&str, &[u8])]) -> (Team, RecordId) {
    let team = Team::of(&["alice"]);
    let files: Vec<(&str, &[u8], &[u8])> =
        files.iter().map(|(path, content)| ("100644", path.as_bytes(), *content)).collect();
    team.remote().import(NOTES, &files);
    let mine = team.clone_of("alice").say("HEAD", "mine").ids[0];
    (team, mine)
}

/// Syncs, and checks what holds whatever came: it ends, ours is there, and no file appeared.
fn check_harmless(team: &Team, mine: RecordId) -> Result<(), SyncError> {
    let began = Instant::now();
    let synced = team.sync("alice");
    let alice = team.clone_of("alice");
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    assert!(alice.record_ids().contains(&mine), "nothing of ours is lost");
    assert_eq!(alice.git(&["status", "--porcelain"]), "", "no file of the work tree changed");
    assert!(!alice.dir.join(".git/hooks/x").exists() && !alice.dir.join("../../etc").exists());
    alice.say("HEAD", "and more");
    synced.map(drop)
}

#[test]
fn a_huge_note_is_kept_as_the_words_it_is_and_hides_nothing() {
    let said = comment("behind the rubbish");
    let mut huge = vec![b'x'; 8 << 20];
    // Frames that claim all that follows, and the bytes of a bomb: arrays in arrays without end.
    for _ in 0..5_000 {
        huge.extend_from_slice(&RECORD_TAG);
        huge.extend_from_slice(b"\x84\x50sixteen bytes id\x67comment\x5a\x00\x10\x00\x00");
    }
    huge.extend(std::iter::repeat_n(0x9f, 1 << 20));
    huge.extend_from_slice(comment("at the end").as_bytes());
    let plain = [said.as_bytes()].concat();
    let other = NOTE.replace("ab", "cd");
    let (team, mine) = with_notes(&[(NOTE, &huge), (&other, &plain)]);
    check_harmless(&team, mine).unwrap();
    let alice = team.clone_of("alice");
    let found = alice.record_ids();
    assert!(found.contains(&said.id()) && found.contains(&comment("at the end").id()), "both came");
    let snapshot = alice.store().read().unwrap();
    let kinds: Vec<&str> = snapshot.records().map(|(_, record)| record.kind()).collect();
    assert!(kinds.contains(&"text") && snapshot.damage().is_none(), "the rubbish is kept as what it is");
}

#[test]
fn records_that_are_bombs_inside_are_kept_and_not_understood() {
    // A right id around a body that is deep, or that promises more than there is.
    let deep = [vec![0xa1, 0x61, b'a'], vec![0x81; 200_000], vec![0x00]].concat();
    let long = [&b"\xa1\x64text\x9b\xff\xff\xff\xff\xff\xff\xff\xff"[..]].concat();
    let wide = [&b"\xbb\x00\x00\x00\x7f\xff\xff\xff\xff"[..]].concat();
    let records: Vec<Vec<u8>> = [deep, long, wide].iter().map(|body| sealed("comment", body)).collect();
    let note = records.concat();
    let (team, mine) = with_notes(&[(NOTE, &note)]);
    check_harmless(&team, mine).unwrap();
    let snapshot = team.clone_of("alice").store().read().unwrap();
    let bombs: Vec<&Record> =
        snapshot.records().map(|(_, record)| record).filter(|r| r.body().is_err()).collect();
    assert_eq!(bombs.len(), 3, "they are carried along as the bytes that came");
}

#[test]
fn very_many_entries_are_taken_in_within_a_bound() {
    let team = Team::of(&["alice"]);
    let said = comment("one of many");
    let mut commands = String::from("blob\nmark :1\ndata ");
    let _ = writeln!(commands, "{}", said.as_bytes().len());
    let mut input = commands.into_bytes();
    input.extend_from_slice(said.as_bytes());
    let mut commands = format!("\ncommit {NOTES}\ncommitter e <e@example.com> 1 +0000\ndata 0\n");
    for number in 0..ENTRIES {
        let digits = format!("{:08x}{:032x}", number.wrapping_mul(2_654_435_761), number);
        let _ = writeln!(commands, "M 100644 :1 {}/{}", &digits[..2], &digits[2..]);
    }
    input.extend_from_slice(commands.as_bytes());
    team.remote().git_with(&["fast-import", "--quiet"], &input);
    let mine = team.clone_of("alice").say("HEAD", "mine").ids[0];
    check_harmless(&team, mine).unwrap();
    assert!(team.clone_of("alice").record_ids().contains(&said.id()));
}

#[test]
fn a_tree_too_deep_to_write_back_is_refused_and_named() {
    let team = Team::of(&["alice"]);
    team.remote().import(NOTES, &[("100644", "ab/".repeat(2100).trim_end_matches('/').as_bytes(), b"deep")]);
    let mine = team.clone_of("alice").say("HEAD", "mine").ids[0];
    // Git itself may refuse such a tree first; either way the error says where it came from.
    let refused = check_harmless(&team, mine).unwrap_err();
    assert!(refused.to_string().contains("origin"), "{refused}");
    if let SyncError::Notes { source, .. } = &refused {
        assert!(matches!(**source, NotesError::Damaged { .. }), "{source:?}");
    }
}

#[test]
fn what_is_no_commit_is_refused_by_that_name() {
    for object in ["main^{tree}", "main:file.txt", "annotated"] {
        let team = Team::of(&["alice"]);
        team.remote().git(&["tag", "-a", "-m", "a tag", "annotated", "main"]);
        team.remote().git(&["update-ref", NOTES, object]);
        let mine = team.clone_of("alice").say("HEAD", "mine").ids[0];
        let refused = check_harmless(&team, mine).unwrap_err();
        assert!(matches!(refused, SyncError::NoNotes { .. }), "{object}: {refused}");
    }
}

#[test]
fn paths_that_lead_elsewhere_are_words_and_never_files() {
    let paths = ["../../etc/passwd", ".git/hooks/x", "..", "a/../../b", ".GIT/config"];
    let records: Vec<Record> = paths.iter().map(|path| on_path(path)).collect();
    let note: Vec<u8> = records.iter().flat_map(|record| record.as_bytes().to_vec()).collect();
    let (team, mine) = with_notes(&[(NOTE, &note)]);
    check_harmless(&team, mine).unwrap();
    let found = team.clone_of("alice").record_ids();
    assert!(records.iter().all(|record| found.contains(&record.id())), "they are kept as what they are");
}

#[test]
fn records_about_other_peoples_records_change_nothing_but_what_they_may() {
    let team = Team::of(&["alice", "eve"]);
    let alice = team.clone_of("alice");
    let mine = alice.say("HEAD", "mine").ids[0];
    team.sync("alice").unwrap();
    let eve = team.clone_of("eve");
    team.sync("eve").unwrap();
    let by = || Author { name: "Eve".to_owned(), email: "eve@example.com".to_owned() };
    let edit = EditRecord {
        author: by(),
        at: Timestamp(0),
        seq: Seq::MAX,
        via: None,
        of: mine,
        over: vec![mine],
        text: Some("I agree with Eve".to_owned()),
        title: None,
        description: None,
        branch: None,
        base: None,
    };
    let status = StatusRecord {
        author: by(),
        at: Timestamp(u64::MAX),
        seq: Seq::MAX,
        via: None,
        of: mine,
        over: vec![mine, RecordId::from_array([0xff; 16])],
        status: StatusWord::Withdrawn,
        reason: None,
        by: None,
        proposal: None,
        source: None,
    };
    let home = Home::On(eve.object_id("HEAD"));
    let store = eve.store();
    let mut batch = store.batch();
    for body in [Body::Edit(edit), Body::Status(status)] {
        batch = batch.add(home, Record::new(&body).unwrap());
    }
    batch.write(&by_alice(), "Forge").unwrap();
    team.sync("eve").unwrap();
    check_harmless(&team, mine).unwrap();
    let snapshot = alice.store().read().unwrap();
    let threads = postil_core::review::Threads::fold(snapshot.records());
    let comment = threads.comment(mine).unwrap();
    assert_eq!(comment.text(), "mine", "another's edit is shown beside, not instead");
    assert_eq!(comment.words().proposals().changes().len(), 1);
}

#[test]
fn a_remote_that_sends_rubbish_instead_of_objects_is_an_error() {
    let (team, mine) = with_notes(&[(NOTE, comment("theirs").as_bytes())]);
    let remote = team.remote();
    remote.git(&["repack", "-adq"]);
    for pack in std::fs::read_dir(remote.dir.join("objects/pack")).unwrap().flatten() {
        if pack.path().extension().is_some_and(|name| name == "pack") {
            let _ = Command::new("chmod").arg("u+w").arg(pack.path()).status();
            let mut bytes = std::fs::read(pack.path()).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle..middle + 20].fill(0x55);
            std::fs::write(pack.path(), bytes).unwrap();
        }
    }
    let refused = check_harmless(&team, mine).unwrap_err();
    assert!(refused.to_string().contains("could not fetch from origin"), "{refused}");
    assert!(team.sync_with("alice", "origin", ExchangeDirection::Both, LIMIT).is_err(), "and is one again");
}

/// A comment on a path, with a suggestion that would make a file there.
fn on_path(path: &str) -> Record {
    let path = RepoPath::new(path).unwrap();
    let anchor = Anchor {
        commit: None,
        path: path.clone(),
        blob: None,
        side: AnchorSide::New,
        range: None,
        lines: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    };
    let edits = vec![SuggestedEdit { start: 0, end: 0, text: b"#!/bin/sh\n".to_vec() }];
    let made =
        SuggestedFile { path, blob: None, new_path: None, mode: Some(0o100_755), delete: false, edits };
    let body = CommentRecord {
        author: Author { name: "Eve".to_owned(), email: "eve@example.com".to_owned() },
        at: Timestamp(0),
        seq: Seq::default(),
        via: None,
        review: None,
        parent: None,
        anchor: Some(anchor.into()),
        text: "run me".to_owned(),
        severity: None,
        tags: Vec::new(),
        suggestion: vec![made],
    };
    Record::new(&Body::Comment(body)).unwrap()
}

/// A record whose body is these bytes, with the id that they have.
fn sealed(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut rest = vec![0x60 + u8::try_from(kind.len()).unwrap()];
    rest.extend_from_slice(kind.as_bytes());
    rest.push(0x5a);
    if body.len() < 24 {
        rest.pop();
        rest.push(0x40 + u8::try_from(body.len()).unwrap());
    } else {
        rest.extend_from_slice(&u32::try_from(body.len()).unwrap().to_be_bytes());
    }
    rest.extend_from_slice(body);
    rest.push(1);
    let hash = blake3::hash(&[&[0x83], &rest[..]].concat());
    let mut bytes = RECORD_TAG.to_vec();
    bytes.extend_from_slice(&[0x84, 0x50]);
    bytes.extend_from_slice(&hash.as_bytes()[..16]);
    bytes.extend_from_slice(&rest);
    Record::from_bytes(&bytes).expect("a record in its one encoding");
    bytes
}

/// Writes a tree with an entry that git refuses as the notes of the remote.
fn forge_entry(team: &Team, name: &[u8]) {
    let remote = team.remote();
    let handle = remote.open().handle();
    let blob = handle.write_blob("x").unwrap().detach();
    let tree = [b"100644 ", name, b"\0", blob.as_slice()].concat();
    let tree = handle.objects.write_buf(gix::objs::Kind::Tree, &tree).unwrap();
    let commit = remote.git(&["commit-tree", &tree.to_string(), "-m", "forged"]);
    remote.git(&["update-ref", NOTES, &commit]);
}

#[test]
fn a_remote_that_checks_objects_takes_the_reviews_of_whoever_met_bad_names() {
    for name in [".git", ".GIT", "..", "git~1", ".g\u{200c}it", ".gitmodules"] {
        let team = Team::of(&["alice", "bob"]);
        forge_entry(&team, name.as_bytes());
        team.remote().git(&["config", "receive.fsckObjects", "true"]);
        let mine = team.clone_of("alice").say("HEAD", "mine").ids[0];
        let synced = team.sync("alice").unwrap();
        let left_out: Vec<String> = synced.refused.iter().map(ToString::to_string).collect();
        assert_eq!(left_out, [name], "it is reported");
        let again = team.sync("alice").unwrap();
        assert!(again.refused.is_empty(), "and not again");
        assert_eq!(team.sync("bob").unwrap().came.comments, 1);
        assert!(team.clone_of("bob").record_ids().contains(&mine));
        assert_eq!(team.notes_tree("alice"), team.notes_tree("bob"));
        let kept = team.clone_of("alice").store().refused_entries().unwrap();
        assert_eq!(kept.iter().map(ToString::to_string).collect::<Vec<_>>(), [name], "and kept aside");
    }
}
