//! What a purge hides, and what is kept of it for a while.

use std::collections::BTreeSet;

use postil_core::git::{BlobId, ObjectId};
use postil_core::notes::{
    Committer, Home, KEPT_SECONDS, MergeKind, NotesError, PurgedRecord, Purging, refs, restore_purged,
};
use postil_core::record::{Record, RecordId};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, alice, by_alice, comment, purge_of};

const NOW: i64 = 1_700_000_000;

fn purge(repo: &Checkout<'_>, of: &[RecordId]) -> Result<Purging, NotesError> {
    let (record, purge) = purge_of(of, &[]);
    repo.store().purge(&record, &purge, &by_alice())
}

/// The records that are kept aside, with when that was noticed.
fn aside(repo: &Checkout<'_>) -> BTreeSet<(i64, RecordId)> {
    let kept: Vec<PurgedRecord> = repo.store().purged_records().unwrap();
    kept.iter().map(|aside| (aside.since, aside.record.id())).collect()
}

/// The kinds of all records that a reader sees, sorted.
fn kinds(repo: &Checkout<'_>) -> Vec<String> {
    let snapshot = repo.store().read().unwrap();
    let mut kinds: Vec<String> = snapshot.records().map(|(_, record)| record.kind().to_owned()).collect();
    kinds.sort();
    kinds
}

/// Two machines that have the same two comments.
fn two(sandbox: &Sandbox) -> (Checkout<'_>, Checkout<'_>, [RecordId; 2]) {
    let one = sandbox.repo("one");
    let ids = ["first", "second"].map(|text| one.say("HEAD", text).ids[0]);
    let two = sandbox.copy("one", "two");
    (one, two, ids)
}

/// Whether the bytes of a record stand in the notes of the tip.
fn stands_in_tip(repo: &Checkout<'_>, record: &Record) -> bool {
    let list = repo.git(&["notes", "--ref=reviews", "list"]);
    list.lines().any(|line| {
        let note = repo.git_with(&["cat-file", "blob", line.split(' ').next().unwrap()], b"");
        note.windows(record.as_bytes().len()).any(|window| window == record.as_bytes())
    })
}

#[test]
fn a_purge_takes_out_what_it_names_and_stays_itself() {
    let sandbox = Sandbox::in_memory();
    let (one, _, [first, second]) = two(&sandbox);
    let purging = purge(&one, &[first]).unwrap();
    assert_eq!(purging.dropped, 1);
    assert_eq!(one.record_ids(), [second, purging.id].into());
    assert!(!stands_in_tip(&one, &comment("first")));
    assert_eq!(aside(&one), [(NOW, first)].into(), "who purges can undo it");
    let message = one.git(&["log", "-1", "--format=%B", refs::NOTES]);
    assert!(message.starts_with("Purge 1 record\n") && message.contains("history"), "{message}");
    assert!(matches!(purge(&one, &[first]), Err(NotesError::NothingToPurge)));
}

#[test]
fn a_purge_from_elsewhere_is_obeyed_and_what_it_took_is_kept_for_a_while() {
    let sandbox = Sandbox::in_memory();
    let (one, other, [first, second]) = two(&sandbox);
    other.say("HEAD", "meanwhile");
    let purging = purge(&one, &[first]).unwrap();
    assert_eq!(take_in(&other, &one), MergeKind::Commit);
    let ids = other.record_ids();
    assert!(!ids.contains(&first) && ids.contains(&second) && ids.contains(&purging.id));
    assert!(!stands_in_tip(&other, &comment("first")));
    assert_eq!(aside(&other), [(NOW, first)].into());
    assert_eq!(take_in(&one, &other), MergeKind::FastForward);
    assert_eq!((one.record_ids(), aside(&one)), (ids, [(NOW, first)].into()));
    other.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(aside(&other), [(NOW, first)].into(), "a collection does not take it");
}

#[test]
fn a_purge_that_stock_git_brought_is_no_different() {
    for how in ["fetch", "union", "ours", "theirs", "cat_sort_uniq"] {
        let sandbox = Sandbox::in_memory();
        let (one, other, [first, second]) = two(&sandbox);
        purge(&one, &[first]).unwrap();
        if how == "fetch" {
            other.git(&["fetch", "-q", "../one", "refs/notes/reviews:refs/notes/reviews"]);
        } else {
            other.say("HEAD", "meanwhile");
            other.git(&["fetch", "-q", "../one", "refs/notes/reviews:refs/notes/one"]);
            other.git(&["notes", "--ref=reviews", "merge", "-q", "-s", how, "refs/notes/one"]);
        }
        other.store().check(&by_alice()).unwrap();
        let ids = other.record_ids();
        assert!(!ids.contains(&first) && ids.contains(&second), "{how}");
        assert_eq!(aside(&other), [(NOW, first)].into(), "{how}");
        take_in(&other, &one);
        assert!(!other.record_ids().contains(&first), "{how}");
        assert_eq!(aside(&other), [(NOW, first)].into(), "{how}: kept once");
    }
}

#[test]
fn what_is_purged_does_not_come_back_by_healing() {
    let sandbox = Sandbox::in_memory();
    let (one, _, [first, second]) = two(&sandbox);
    let before = one.git(&["rev-parse", refs::NOTES]);
    let purging = purge(&one, &[first]).unwrap();
    let expected: BTreeSet<RecordId> = [second, purging.id].into();
    let purged = one.git(&["rev-parse", refs::NOTES]);
    let somebody: [(&str, &[&str]); 5] = [
        ("a removed note", &["notes", "--ref=reviews", "remove", "HEAD"]),
        ("a reset to before the purge", &["update-ref", refs::NOTES, &before]),
        ("a deleted ref", &["update-ref", "-d", refs::NOTES]),
        ("a forgotten check", &["update-ref", "-d", refs::KNOWN]),
        ("an old check", &["update-ref", refs::KNOWN, &before]),
    ];
    for (what, args) in somebody {
        one.git(&["update-ref", refs::NOTES, &purged]);
        one.git(&["update-ref", refs::KNOWN, &purged]);
        one.git(args);
        one.store().check(&by_alice()).unwrap();
        assert_eq!(one.record_ids(), expected, "{what}");
        assert!(!stands_in_tip(&one, &comment("first")), "{what}: its bytes stay out too");
    }
}

#[test]
fn what_somebody_reset_to_before_a_purge_and_sent_on_stays_out_of_our_notes() {
    let sandbox = Sandbox::in_memory();
    let (one, other, [first, second]) = two(&sandbox);
    let before = other.git(&["rev-parse", refs::NOTES]);
    let purging = purge(&one, &[first]).unwrap();
    take_in(&other, &one);
    // The tree of this commit is that of before the purge, and the purge is its parent.
    let tree = format!("{before}^{{tree}}");
    let undone = other.git(&["commit-tree", "-m", "Undo", "-p", refs::NOTES, &tree]);
    other.git(&["update-ref", refs::NOTES, &undone]);
    assert_eq!(take_in(&one, &other), MergeKind::Commit);
    assert_eq!(one.record_ids(), [second, purging.id].into());
    assert!(!stands_in_tip(&one, &comment("first")));
}

#[test]
fn a_copy_of_a_purged_record_is_hidden_wherever_it_stands() {
    let sandbox = Sandbox::in_memory();
    let (one, other, [first, second]) = two(&sandbox);
    one.git(&["notes", "--ref=reviews", "copy", "HEAD", "HEAD^{tree}"]);
    let purging = purge(&one, &[first]).unwrap();
    assert_eq!(purging.dropped, 2, "it stood in two notes");
    assert_eq!(one.pairs().len(), 3);
    // A copy that comes after the purge, by somebody who does not know of it.
    other.git(&["notes", "--ref=reviews", "copy", "HEAD", "HEAD:file"]);
    let blob: ObjectId = other.object_id("HEAD:file");
    take_in(&one, &other);
    assert!(one.pairs().contains(&(blob, second)) && !one.pairs().contains(&(blob, first)));
    one.git(&["update-ref", "refs/notes/old", &format!("{}^2", refs::NOTES)]);
    one.git(&["notes", "--ref=reviews", "merge", "-q", "-s", "union", "refs/notes/old"]);
    assert!(!one.record_ids().contains(&first));
    let kept = aside(&one);
    assert_eq!(kept, [(NOW, first)].into(), "what others bring of it is not kept again");
}

#[test]
fn a_purge_cannot_be_purged() {
    let sandbox = Sandbox::in_memory();
    let (one, other, [first, second]) = two(&sandbox);
    let purging = purge(&one, &[first]).unwrap();
    assert!(matches!(purge(&one, &[purging.id]), Err(NotesError::NothingToPurge)));
    let both = purge(&one, &[purging.id, second]).unwrap();
    assert_eq!((both.dropped, one.record_ids()), (1, [purging.id, both.id].into()));
    take_in(&other, &one);
    assert_eq!(other.record_ids(), one.record_ids());
}

#[test]
fn a_hostile_purge_of_everything_takes_nothing_for_good() {
    let sandbox = Sandbox::in_memory();
    let (one, hostile, _) = two(&sandbox);
    let mut before = one.record_ids();
    for n in 0..20 {
        before.extend(one.say("HEAD^{commit}", &format!("number {n}")).ids);
    }
    take_in(&hostile, &one);
    let everything: Vec<RecordId> = before.iter().copied().collect();
    purge(&hostile, &everything).unwrap();
    let merged = {
        one.git(&["fetch", "-q", "../two", "+refs/notes/reviews:refs/postil/remotes/two/reviews"]);
        one.store().merge(one.commit_id("refs/postil/remotes/two/reviews"), &by_alice()).unwrap()
    };
    assert_eq!((merged.how, merged.purged.len()), (MergeKind::FastForward, 22));
    assert_eq!(kinds(&one), ["purge"]);
    let kept = one.store().purged_records().unwrap();
    assert_eq!(kept.iter().map(|aside| aside.record.id()).collect::<BTreeSet<_>>(), before);
    assert!(kept.iter().all(|aside| aside.object == one.object_id("HEAD")));
    one.git(&["gc", "-q", "--prune=now"]);

    // Said again, the words are other records, which the purge does not name.
    let store = one.store();
    let mut batch = store.batch();
    for new in restore_purged(&kept, store.read().unwrap().purged()).unwrap() {
        batch = batch.add(Home::On(new.object), new.record);
    }
    batch.write(&by_alice(), "Restore purged comments").unwrap();
    assert_eq!(kinds(&one).len(), 23);
    take_in(&hostile, &one);
    assert_eq!(kinds(&hostile).len(), 23);
}

#[test]
fn what_was_kept_long_enough_is_forgotten() {
    let sandbox = Sandbox::in_memory();
    let (one, other, [first, second]) = two(&sandbox);
    purge(&one, &[first]).unwrap();
    take_in(&other, &one);
    let later = |seconds: i64| Committer::new(&alice(), NOW + seconds, 0);
    let merge = |at: i64| {
        other.git(&["fetch", "-q", "../one", "+refs/notes/reviews:refs/postil/remotes/one/reviews"]);
        let theirs = other.commit_id("refs/postil/remotes/one/reviews");
        other.store().merge(theirs, &later(at)).unwrap();
    };
    purge(&one, &[second]).unwrap();
    merge(KEPT_SECONDS - 1);
    assert_eq!(aside(&other), [(NOW, first), (NOW + KEPT_SECONDS - 1, second)].into());
    one.say("HEAD", "something new");
    merge(KEPT_SECONDS);
    assert_eq!(aside(&other), [(NOW + KEPT_SECONDS - 1, second)].into());
    one.say("HEAD", "and more");
    merge(3 * KEPT_SECONDS);
    assert_eq!(aside(&other), BTreeSet::new());
    assert!(!other.try_git(&["rev-parse", "-q", "--verify", refs::PURGED]).status.success());
}

#[test]
fn a_purge_of_a_pinned_blob_unpins_it_everywhere() {
    let sandbox = Sandbox::in_memory();
    let one = sandbox.repo("one");
    one.git(&["remote", "add", "origin", "nowhere"]);
    one.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let blob = one.blob_id("HEAD:file");
    let store = one.store();
    let head = one.commit_id("HEAD");
    let batch = store.batch().add(Home::On(head.into()), comment("on a secret")).pin(blob, Some(head));
    let written = batch.write(&by_alice(), "Comment").unwrap();
    let other = sandbox.copy("one", "other");
    let (record, body) = purge_of(&written.ids, &[blob]);
    one.store().purge(&record, &body, &by_alice()).unwrap();
    assert_eq!(one.pins(), BTreeSet::new());
    other.say("HEAD", "meanwhile");
    take_in(&other, &one);
    assert_eq!(other.pins(), BTreeSet::new());
    other.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    other.store().check(&by_alice()).unwrap();
    assert_eq!(other.pins(), BTreeSet::new(), "healing knows of it");
    // Whoever pins it again does so until the next merge.
    store.batch().pin(blob, Some(head)).write(&by_alice(), "Pin again").unwrap();
    take_in(&one, &other);
    assert_eq!(one.pins(), BTreeSet::new());
}

#[test]
fn a_purge_of_a_pin_alone_stands_beside_the_blob() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let store = repo.store();
    store.batch().pin_content("a secret\n").write(&by_alice(), "Keep").unwrap();
    let blob =
        BlobId::from_hex(repo.git_with(&["hash-object", "--stdin"], b"a secret\n").trim_ascii()).unwrap();
    let (record, body) = purge_of(&[], &[blob]);
    store.purge(&record, &body, &by_alice()).unwrap();
    assert_eq!(repo.pairs(), [(ObjectId::from(blob), record.id())].into());
    assert!(!repo.try_git(&["rev-parse", "-q", "--verify", refs::LOCAL_PINS]).status.success());
}
