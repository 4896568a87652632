//! Notes that somebody made to do harm: bounded, reported, and no reason to lose anything else.

use std::collections::BTreeSet;

use gix::objs::Write as _;
use gix::objs::tree::{Entry as TreeEntry, EntryKind};
use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Home, MergeKind, NotesError, Store, refs};
use postil_core::record::{PositionEntry, PositionsRecord, RECORD_TAG, Record, RecordId};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, by_alice, comment, options, purge_of};

const NOTE: &str = "abababababababababababababababababababab";

/// A repository with a comment, and one whose notes are `files` as well.
fn victim_and_villain<'s>(
    sandbox: &'s Sandbox,
    files: &[(&str, &[u8], &[u8])],
) -> (Checkout<'s>, Checkout<'s>) {
    let victim = sandbox.repo("victim");
    let villain = sandbox.repo("villain");
    villain.import(refs::NOTES, files);
    victim.say("HEAD", "mine");
    (victim, villain)
}

/// Writes a commit of a tree of these entries, in this order, as the notes.
fn forge(repo: &Checkout<'_>, entries: &[TreeEntry]) {
    let tree = write_tree(&repo.open().handle(), entries);
    let commit = repo.git(&["commit-tree", &tree.to_string(), "-m", "forged"]);
    repo.git(&["update-ref", refs::NOTES, &commit]);
}

/// Writes a tree as it is; gix and git would both refuse most of these.
fn write_tree(repo: &gix::Repository, entries: &[TreeEntry]) -> gix::ObjectId {
    let mut bytes = Vec::new();
    for TreeEntry { mode, filename, oid } in entries {
        bytes.extend_from_slice(format!("{mode:o} ").as_bytes());
        bytes.extend_from_slice(filename);
        bytes.push(0);
        bytes.extend_from_slice(oid.as_slice());
    }
    repo.objects.write_buf(gix::objs::Kind::Tree, &bytes).unwrap()
}

fn blob_entry(repo: &Checkout<'_>, name: &str, content: &[u8]) -> TreeEntry {
    let oid = repo.open().handle().write_blob(content).unwrap().detach();
    TreeEntry { mode: EntryKind::Blob.into(), filename: name.into(), oid }
}

#[test]
fn a_note_of_many_beginnings_is_kept_and_costs_little() {
    // Each frame claims all that follows to be its body.
    let mut note = Vec::new();
    while note.len() < 300_000 {
        note.extend_from_slice(&RECORD_TAG);
        note.extend_from_slice(b"\x84\x50sixteen bytes id\x67comment\x5a\x00\x03\x00\x00");
    }
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[("100644", NOTE.as_bytes(), &note)]);
    let before = victim.record_ids();
    assert_eq!(take_in(&victim, &villain), MergeKind::Commit);
    assert!(victim.record_ids().is_superset(&before));
    assert_eq!(take_in(&villain, &victim), MergeKind::FastForward);
    assert!(villain.store().read().unwrap().damage().missing.is_empty());
    assert!(!victim.store().check(&by_alice()).unwrap().healed());
}

#[test]
fn a_record_inside_a_record_is_not_one() {
    let inner = comment("I was never said");
    let said = comment("a\u{1}b");
    // The same words, with a record where the body's text goes on.
    let mut note = said.as_bytes().to_vec();
    let at = note.windows(3).position(|window| window == b"a\x01b").unwrap();
    note.splice(at + 1..at + 2, inner.as_bytes().iter().copied());
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[("100644", NOTE.as_bytes(), &note)]);
    let mine = victim.record_ids();
    take_in(&victim, &villain);
    let seen = victim.record_ids();
    // What stands in a damaged frame may be read as what it is; it never becomes the frame's.
    assert!(!seen.contains(&said.id()));
    assert!(seen.is_superset(&mine));
}

#[test]
fn a_purge_of_more_than_there_is_takes_what_there_is() {
    let sandbox = Sandbox::in_memory();
    let (victim, _) = victim_and_villain(&sandbox, &[]);
    let ids: Vec<RecordId> = (0..60_000_u128).map(|n| RecordId::from_array(n.to_be_bytes())).collect();
    let (record, purge) =
        purge_of(&[&ids[..], &victim.record_ids().into_iter().collect::<Vec<_>>()].concat(), &[]);
    assert_eq!(victim.store().purge(&record, &purge, &by_alice()).unwrap().dropped, 1);
    assert_eq!(victim.record_ids(), [record.id()].into());
}

#[test]
fn positions_of_impossible_times_harm_no_comment() {
    let said = comment("about something");
    let head = |n: u8| CommitId::from_bytes(&[n; 20]).unwrap();
    let records = |n: u8, time: i64| -> Vec<u8> {
        let records = PositionsRecord::records(head(n), time, [PositionEntry::orphaned(said.id()).to_raw()]);
        records.iter().flat_map(|record: &Record| record.as_bytes().to_vec()).collect()
    };
    let files: Vec<(String, Vec<u8>)> = (0..200_u8)
        .map(|n| (head(n).to_string(), records(n, if n % 2 == 0 { i64::MAX } else { i64::MIN })))
        .collect();
    let files: Vec<(&str, &[u8], &[u8])> =
        files.iter().map(|(path, note)| ("100644", path.as_bytes(), &note[..])).collect();
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &files);
    let mine = victim.record_ids();
    take_in(&victim, &villain);
    let snapshot = victim.store().read().unwrap();
    let kept = snapshot.records().filter(|(_, record)| record.kind() == PositionsRecord::KIND).count();
    assert_eq!(kept, 64);
    assert!(victim.record_ids().is_superset(&mine));
}

/// A tree that cannot be written back as it is.
fn check_refused(what: &str, entries: impl Fn(&Checkout<'_>) -> Vec<TreeEntry>) {
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[]);
    let said = comment("readable");
    let mut all = entries(&villain);
    all.push(blob_entry(&villain, NOTE, said.as_bytes()));
    forge(&villain, &all);
    let snapshot = villain.store().read().unwrap();
    let ids: BTreeSet<RecordId> = snapshot.records().map(|(_, record)| record.id()).collect();
    assert_eq!(
        (ids, snapshot.damage().trees.len()),
        ([said.id()].into(), 1),
        "{what}: read as far as it can be"
    );
    let object = ObjectId::from_hex(NOTE.as_bytes()).unwrap();
    let written =
        villain.store().batch().add(Home::On(object), comment("more")).write(&by_alice(), "Comment");
    assert!(matches!(written, Err(NotesError::Damaged { .. })), "{what}: {written:?}");

    let (mine, tip) = (victim.record_ids(), victim.commit_id(refs::NOTES));
    // Git refuses to send most of these; a file that is copied asks nobody.
    let objects = villain.dir.join(".git/objects");
    victim.write(".git/objects/info/alternates", format!("{}\n", objects.display()));
    let theirs = villain.commit_id(refs::NOTES);
    let merged = victim.store().merge(theirs, &by_alice());
    assert!(matches!(merged, Err(NotesError::Damaged { .. })), "{what}: {merged:?}");
    assert_eq!(
        (victim.record_ids(), victim.commit_id(refs::NOTES)),
        (mine, tip),
        "{what}: ours stays as it is"
    );
}

#[test]
fn a_tree_that_cannot_be_written_back_is_read_and_refused() {
    check_refused("a slash in a name", |repo| vec![blob_entry(repo, "a/b", b"x")]);
    check_refused("an empty name", |repo| vec![blob_entry(repo, "", b"x")]);
    check_refused("trees in trees in trees", |repo| {
        let handle = repo.open().handle();
        let mut inner = blob_entry(repo, "deep", b"x");
        for _ in 0..2100 {
            let oid = write_tree(&handle, &[inner]);
            inner = TreeEntry { mode: EntryKind::Tree.into(), filename: "0".into(), oid };
        }
        vec![inner]
    });
    check_refused("names that do not ascend", |repo| {
        vec![blob_entry(repo, "z", b"x"), blob_entry(repo, "b", b"x")]
    });
    check_refused("a note twice in one tree", |repo| {
        vec![blob_entry(repo, NOTE, comment("readable").as_bytes())]
    });
}

#[test]
fn names_that_a_checkout_would_refuse_are_kept_and_never_become_files() {
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[]);
    let names = ["..", ".git", ".GIT", "C:\\x", "con"];
    let mut entries: Vec<TreeEntry> = names.iter().map(|name| blob_entry(&villain, name, b"x")).collect();
    entries.sort();
    forge(&villain, &entries);
    take_in(&victim, &villain);
    let paths = victim.notes_paths();
    for name in names {
        assert!(paths.contains(&name.to_owned()), "{name} is kept");
    }
    assert_eq!(victim.git(&["status", "--porcelain"]), "", "nothing is written outside of git's directory");
}

#[test]
fn a_ref_that_leads_to_no_notes_is_brought_back_to_those_that_are_known() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "before").ids[0];
    let tip = repo.git(&["rev-parse", refs::NOTES]);
    repo.git(&["tag", "-a", "-m", "a tag", "v1", refs::NOTES]);
    for to in [repo.git(&["rev-parse", "v1"]), repo.git(&["rev-parse", "HEAD:file"]), "1".repeat(40)] {
        std::fs::write(repo.dir.join(".git").join(refs::NOTES), format!("{to}\n")).unwrap();
        assert_eq!(repo.record_ids(), [said].into(), "{to}");
        let (_, checked) = Store::open(repo.open(), options(), &by_alice()).unwrap();
        assert!(checked.restored, "{to}");
        assert_eq!(repo.git(&["rev-parse", refs::NOTES]), tip);
    }
    assert_eq!(repo.record_ids(), [said].into());
    // If the last checked tip cannot be read either, there is still the reflog.
    for name in [refs::KNOWN, refs::NOTES] {
        std::fs::write(repo.dir.join(".git").join(name), format!("{}\n", "1".repeat(40))).unwrap();
    }
    assert_eq!(repo.record_ids(), [said].into());
    let more = repo.say("HEAD", "more").ids[0];
    assert_eq!(repo.record_ids(), [said, more].into());
}
