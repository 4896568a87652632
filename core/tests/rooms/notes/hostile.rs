//! Notes that somebody made to do harm: bounded, reported, and no reason to lose anything else.

use std::collections::BTreeSet;

use gix::objs::Write as _;
use gix::objs::tree::{Entry as TreeEntry, EntryKind};
use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Home, MergeKind, Store, refs};
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

/// A tree that git would not make: what can be read of it is kept, in a tree that git accepts.
fn check_misshapen(what: &str, left_out: bool, entries: impl Fn(&Checkout<'_>) -> Vec<TreeEntry>) {
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[]);
    let said = comment("readable");
    let mut all = entries(&villain);
    all.push(blob_entry(&villain, NOTE, said.as_bytes()));
    forge(&villain, &all);
    let theirs = villain.commit_id(refs::NOTES);
    let snapshot = villain.store().read().unwrap();
    let ids: BTreeSet<RecordId> = snapshot.records().map(|(_, record)| record.id()).collect();
    assert_eq!(
        (ids, snapshot.damage().trees.len()),
        ([said.id()].into(), 1),
        "{what}: read as far as it can be, and told"
    );
    // Where it is the tip, as a plain fetch leaves it, nobody is kept from writing.
    let object = ObjectId::from_hex(NOTE.as_bytes()).unwrap();
    let more = comment("more");
    villain.store().batch().add(Home::On(object), more.clone()).write(&by_alice(), "Comment").unwrap();
    assert_eq!(villain.record_ids(), [said.id(), more.id()].into(), "{what}");
    assert!(villain.store().read().unwrap().damage().trees.is_empty(), "{what}");
    check_accepted(&villain);

    let mine = victim.record_ids();
    // Git refuses to send most of these; a file that is copied asks nobody.
    share_objects(&victim, &villain);
    let merged = victim.store().merge(theirs, &by_alice()).unwrap();
    assert!(victim.record_ids().is_superset(&mine) && victim.record_ids().contains(&said.id()), "{what}");
    check_accepted(&victim);
    assert_eq!(!merged.refused.is_empty(), left_out, "{what}: {:?}", merged.refused);
    for told in merged.refused {
        assert!(!told.to_string().contains(['{', '(']), "{what} is told in words: {told}");
    }
    let kept = victim.store().refused_entries().unwrap();
    assert_eq!(!kept.is_empty(), left_out, "{what}: what is left out is kept aside");
}

#[test]
fn a_tree_that_git_would_not_make_keeps_nobody_from_writing() {
    check_misshapen("a slash in a name", true, |repo| vec![blob_entry(repo, "a/b", b"x")]);
    check_misshapen("an empty name", true, |repo| vec![blob_entry(repo, "", b"x")]);
    check_misshapen("trees in trees in trees", true, |repo| {
        let handle = repo.open().handle();
        let mut inner = blob_entry(repo, "deep", b"x");
        for _ in 0..2100 {
            let oid = write_tree(&handle, &[inner]);
            inner = TreeEntry { mode: EntryKind::Tree.into(), filename: "0".into(), oid };
        }
        vec![inner]
    });
    check_misshapen("names that do not ascend", false, |repo| {
        vec![blob_entry(repo, "z", b"x"), blob_entry(repo, "b", b"x")]
    });
    check_misshapen("a note twice in one tree", false, |repo| {
        vec![blob_entry(repo, NOTE, comment("readable").as_bytes())]
    });
    check_misshapen("a file twice in one tree", false, |repo| {
        vec![blob_entry(repo, "z", b"x"), blob_entry(repo, "z", b"y")]
    });
    check_misshapen("a tree that is cut off", true, |repo| {
        let handle = repo.open().handle();
        let oid = handle.objects.write_buf(gix::objs::Kind::Tree, b"100644 cut\0too short").unwrap();
        vec![TreeEntry { mode: EntryKind::Tree.into(), filename: "0".into(), oid }]
    });
}

/// Names that git, or a file system that git knows, takes for something else.
const REFUSED: [&str; 12] = [
    "..",
    ".",
    ".git",
    ".GIT",
    "git~1",
    ".git ",
    ".git.",
    ".g\u{200c}it",
    ".git::$INDEX_ALLOCATION",
    "a\\.git",
    ".gitmodules",
    ".gitattributes",
];

/// Whether a remote that checks objects takes the tree of these notes.
#[track_caller]
fn check_accepted(repo: &Checkout<'_>) {
    repo.git(&["init", "-q", "--bare", "../checking.git"]);
    repo.git(&["-C", "../checking.git", "config", "receive.fsckObjects", "true"]);
    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", refs::NOTES)]);
    let commit = repo.git(&["commit-tree", &tree, "-m", "the tree alone"]);
    repo.git(&["push", "-q", "../checking.git", &format!("+{commit}:refs/heads/tree")]);
}

/// Lets `victim` read what `villain` has; git would refuse to send some of it.
fn share_objects(victim: &Checkout<'_>, villain: &Checkout<'_>) {
    let objects = villain.dir.join(".git/objects");
    victim.write(".git/objects/info/alternates", format!("{}\n", objects.display()));
}

#[test]
fn names_that_git_refuses_are_left_out_and_kept_aside() {
    let sandbox = Sandbox::in_memory();
    let (victim, villain) = victim_and_villain(&sandbox, &[]);
    let said = comment("between bad names");
    let mut entries: Vec<TreeEntry> = REFUSED.iter().map(|name| blob_entry(&villain, name, b"x")).collect();
    entries.push(blob_entry(&villain, "README", b"of another program"));
    entries.push(blob_entry(&villain, NOTE, said.as_bytes()));
    let inside = write_tree(&villain.open().handle(), &[blob_entry(&villain, ".git", b"x")]);
    entries.push(TreeEntry { mode: EntryKind::Tree.into(), filename: "folder".into(), oid: inside });
    entries.sort();
    forge(&villain, &entries);
    let theirs = villain.commit_id(refs::NOTES);
    share_objects(&victim, &villain);
    let merged = victim.store().merge(theirs, &by_alice()).unwrap();
    let left_out: BTreeSet<String> = merged.refused.iter().map(ToString::to_string).collect();
    let mut expected: BTreeSet<String> = REFUSED.iter().map(|name| (*name).to_owned()).collect();
    expected.insert("folder/.git".into());
    assert_eq!(left_out, expected);
    let paths = victim.notes_paths();
    assert!(
        paths.contains(&"README".to_owned()) && !paths.iter().any(|path| expected.contains(path)),
        "{paths:?}"
    );
    assert!(victim.record_ids().contains(&said.id()));
    check_accepted(&victim);
    let kept: BTreeSet<String> =
        victim.store().refused_entries().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(kept, expected, "nothing is lost");
    let reachable = victim.git(&["rev-list", refs::REFUSED]);
    assert!(reachable.contains(&theirs.to_string()), "and git keeps it");
    assert_eq!(victim.git(&["status", "--porcelain"]), "", "nothing is written outside of git's directory");
}

#[test]
fn a_fast_forward_does_not_bring_what_git_refuses() {
    let check = |what: &str, bad: &dyn Fn(&Checkout<'_>) -> Vec<u8>| {
        let sandbox = Sandbox::in_memory();
        let (victim, villain) = (sandbox.repo("victim"), sandbox.repo("villain"));
        let said = comment("behind the bad entry");
        let handle = villain.open().handle();
        let note = handle.write_blob(said.as_bytes()).unwrap().detach();
        let tree =
            [bad(&villain), b"100644 ".to_vec(), NOTE.into(), vec![0], note.as_slice().to_vec()].concat();
        let tree = handle.objects.write_buf(gix::objs::Kind::Tree, &tree).unwrap();
        let commit = villain.git(&["commit-tree", &tree.to_string(), "-m", "forged"]);
        villain.git(&["update-ref", refs::NOTES, &commit]);
        share_objects(&victim, &villain);
        let merged = victim.store().merge(villain.commit_id(refs::NOTES), &by_alice()).unwrap();
        assert_eq!(merged.how, MergeKind::Commit, "{what}");
        assert!(victim.record_ids().contains(&said.id()), "{what}");
        check_accepted(&victim);
        // Where it is the tip already, as a plain fetch leaves it, a check leaves it out.
        let checked = villain.store().check_all(&by_alice()).unwrap();
        assert_ne!(checked.tip, Some(CommitId::from_hex(commit.as_bytes()).unwrap()), "{what}");
        assert!(villain.store().refused_in(checked.tip.unwrap()).unwrap().is_empty(), "{what}");
    };
    let x = |repo: &Checkout<'_>| repo.open().handle().write_blob(b"x").unwrap().detach().as_slice().to_vec();
    check("a name", &|repo| [b"100644 .git\0".to_vec(), x(repo)].concat());
    check("no object", &|_| [b"100644 a\0".to_vec(), vec![0; 20]].concat());
    check("zeros before a mode", &|repo| [b"0100644 a\0".to_vec(), x(repo)].concat());
    check("a file where the notes have folders", &|repo| [b"100644 aa\0".to_vec(), x(repo)].concat());
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
