//! Positions: a cache that travels, without filling the history and without two machines taking turns.

use std::collections::BTreeSet;

use postil_core::git::CommitId;
use postil_core::notes::{HeadPositions, MAX_POSITION_HEADS, MergeKind, NotesError, refs};
use postil_core::record::{Basis, Body, PositionEntry, RecordId};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, by_alice, purge_of};

/// A head that nobody has; `n` is also its time.
fn head(n: i64) -> CommitId {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&n.wrapping_mul(0x5851_f42d_4c95_7f2d).to_be_bytes());
    CommitId::from_bytes(&bytes).unwrap()
}

fn entry(comment: RecordId, engine: u32, basis: Basis, reason: &str) -> PositionEntry {
    PositionEntry { engine, basis, reason: reason.into(), ..PositionEntry::orphaned(comment) }
}

fn at(n: i64, entries: &[PositionEntry]) -> HeadPositions {
    HeadPositions { head: head(n), time: n, entries: entries.iter().map(PositionEntry::to_raw).collect() }
}

fn write(repo: &Checkout<'_>, heads: &[HeadPositions]) -> Option<CommitId> {
    repo.store().write_positions(heads, &by_alice()).unwrap()
}

/// What the notes say: the head, and the reason of each entry.
fn stored(repo: &Checkout<'_>) -> BTreeSet<(CommitId, String)> {
    let snapshot = repo.store().read().unwrap();
    let mut found = BTreeSet::new();
    for (_, record) in snapshot.records() {
        if let Ok(Body::Positions(positions)) = record.body() {
            for entry in &positions.entries {
                found.insert((positions.head, entry.read().unwrap().reason));
            }
        }
    }
    found
}

fn commits(repo: &Checkout<'_>) -> usize {
    repo.git(&["rev-list", "--count", refs::NOTES]).parse().unwrap()
}

#[test]
fn many_moves_of_the_head_leave_one_commit() {
    const MOVES: i64 = 150;
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let store = repo.store();
    for n in 0..MOVES {
        store.write_positions(&[at(n, &[entry(said, 1, Basis::History, "diff")])], &by_alice()).unwrap();
    }
    assert_eq!(commits(&repo), 2, "one for the comment, one for positions");
    let kept: BTreeSet<CommitId> = stored(&repo).into_iter().map(|(head, _)| head).collect();
    let newest: BTreeSet<CommitId> = (MOVES - 64..MOVES).map(head).collect();
    assert_eq!((kept, MAX_POSITION_HEADS), (newest, 64));
    assert_eq!(repo.git(&["log", "-1", "--format=%s", refs::NOTES]), "Note where comments are now");
    assert!(repo.record_ids().contains(&said));
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn positions_that_say_nothing_new_make_no_commit() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let tip = write(&repo, &[at(1, &[entry(said, 1, Basis::Blob, "diff")])]);
    assert_eq!(write(&repo, &[at(1, &[entry(said, 1, Basis::Blob, "diff")])]), tip);
    assert_eq!(write(&repo, &[]), tip);
    assert_eq!(write(&repo, &[at(1, &[])]), tip);
    // Not even where stock git has written the tree in a way that we would not.
    repo.import(refs::NOTES, &[("100644", b"ab/cd/000000000000000000000000000000000000", b"words\n")]);
    repo.store().check(&by_alice()).unwrap();
    let tip = repo.store().tip().unwrap();
    assert_eq!(write(&repo, &[]), tip);
}

#[test]
fn a_better_founded_entry_stays() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let check = |engine, basis, reason: &str, stays: &str| {
        write(&repo, &[at(1, &[entry(said, engine, basis, reason)])]);
        assert_eq!(stored(&repo), [(head(1), stays.to_owned())].into());
    };
    check(2, Basis::Blob, "blob", "blob");
    check(2, Basis::Text, "text", "blob");
    check(1, Basis::History, "an old engine", "blob");
    check(2, Basis::History, "history", "history");
    check(3, Basis::Text, "a new engine", "a new engine");
}

#[test]
fn a_commit_that_somebody_may_have_seen_is_built_upon() {
    let seen: [(&str, &str); 3] = [
        ("by sync", "refs/postil/remotes/origin/reviews"),
        ("by a refspec of notes", "refs/notes/origin/reviews"),
        ("as a branch of the remote", "refs/remotes/origin/notes/reviews"),
    ];
    for (what, tracking) in seen {
        let sandbox = Sandbox::in_memory();
        let repo = sandbox.repo("repo");
        let said = repo.say("HEAD", "a comment").ids[0];
        let positions = |n| at(n, &[entry(said, 1, Basis::Blob, "diff")]);
        write(&repo, &[positions(1)]);
        write(&repo, &[positions(2)]);
        assert_eq!(commits(&repo), 2, "{what}");
        repo.git(&["update-ref", tracking, refs::NOTES]);
        write(&repo, &[positions(3)]);
        assert_eq!(commits(&repo), 3, "{what}: seen, so built upon");
        write(&repo, &[positions(4)]);
        assert_eq!(commits(&repo), 3, "{what}: not seen, so replaced");
        assert_eq!(stored(&repo).len(), 4, "{what}");
    }
}

#[test]
fn a_commit_that_says_more_than_positions_is_built_upon() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let positions = |n| at(n, &[entry(said, 1, Basis::Blob, "diff")]);
    write(&repo, &[positions(1)]);
    let more = repo.say("HEAD", "another").ids[0];
    write(&repo, &[positions(2)]);
    assert_eq!(commits(&repo), 4, "a comment after positions ends the run");
    // Somebody writes words with the very subject, and a merge.
    repo.git(&["notes", "--ref=reviews", "append", "-m", "words", "HEAD"]);
    let tree = repo.git(&["rev-parse", "refs/notes/reviews^{tree}"]);
    let subject = "Note where comments are now";
    let forged = repo.git(&["commit-tree", &tree, "-p", "refs/notes/reviews~1", "-m", subject]);
    repo.git(&["update-ref", refs::NOTES, &forged]);
    write(&repo, &[positions(3)]);
    assert!(repo.git(&["log", "--format=%H", refs::NOTES]).contains(&forged), "words are not thrown away");
    assert!(repo.record_ids().is_superset(&[said, more].into()));
}

#[test]
fn two_machines_do_not_take_turns() {
    let sandbox = Sandbox::in_memory();
    let one = sandbox.repo("one");
    let said = one.say("HEAD", "a comment").ids[0];
    let two = sandbox.copy("one", "two");
    // Each computes the same heads, one with less to go by.
    let ours: Vec<HeadPositions> =
        (0..10).map(|n| at(n, &[entry(said, 1, Basis::History, "history")])).collect();
    let theirs: Vec<HeadPositions> = (5..15).map(|n| at(n, &[entry(said, 1, Basis::Text, "text")])).collect();
    let round = || {
        write(&one, &ours);
        let to_two = take_in(&two, &one);
        write(&two, &theirs);
        let to_one = take_in(&one, &two);
        (to_two, to_one, one.commit_id(refs::NOTES))
    };
    round();
    let (_, _, tip) = round();
    assert_eq!(round(), (MergeKind::UpToDate, MergeKind::UpToDate, tip), "nothing new is nothing to write");
    assert_eq!(two.commit_id(refs::NOTES), tip);
    assert_eq!(stored(&one), stored(&two));
    assert_eq!(stored(&one).iter().filter(|(_, reason)| reason == "history").count(), 10);
}

#[test]
fn two_machines_with_many_heads_agree_on_the_newest() {
    let sandbox = Sandbox::in_memory();
    let one = sandbox.repo("one");
    let said = one.say("HEAD", "a comment").ids[0];
    let two = sandbox.copy("one", "two");
    let heads = |range: std::ops::Range<i64>| -> Vec<HeadPositions> {
        range.map(|n| at(n, &[entry(said, 1, Basis::Blob, "diff")])).collect()
    };
    write(&one, &heads(0..60));
    write(&two, &heads(40..100));
    take_in(&two, &one);
    take_in(&one, &two);
    let kept: BTreeSet<CommitId> = stored(&one).into_iter().map(|(head, _)| head).collect();
    assert_eq!(kept, (36..100).map(head).collect());
    let tip = one.commit_id(refs::NOTES);
    // An old head is not let in again by whoever computes it again.
    write(&one, &heads(0..10));
    assert_eq!(one.commit_id(refs::NOTES), tip);
    assert_eq!(take_in(&two, &one), MergeKind::UpToDate);
}

#[test]
fn healing_does_not_miss_positions() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let here = HeadPositions {
        head: repo.commit_id("HEAD"),
        time: 7,
        entries: vec![entry(said, 1, Basis::Blob, "diff").to_raw()],
    };
    write(&repo, &[here, at(1, &[entry(said, 1, Basis::Blob, "diff")])]);
    assert_eq!(stored(&repo).len(), 2);
    repo.git(&["notes", "--ref=reviews", "remove", &head(1).to_string()]);
    assert!(!repo.store().check(&by_alice()).unwrap().healed());
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!(checked.records, 1, "the comment alone");
    assert_eq!((stored(&repo).len(), repo.record_ids().contains(&said)), (0, true));
}

#[test]
fn positions_in_a_copied_note_add_nothing() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    let here = HeadPositions {
        head: repo.commit_id("HEAD"),
        time: 7,
        entries: vec![entry(said, 1, Basis::Blob, "diff").to_raw()],
    };
    write(&repo, &[here]);
    let two = sandbox.copy("repo", "two");
    repo.git(&["notes", "--ref=reviews", "copy", "HEAD", "HEAD^{tree}"]);
    two.say("HEAD", "meanwhile");
    take_in(&two, &repo);
    let snapshot = two.store().read().unwrap();
    let notes: Vec<bool> = snapshot
        .pages()
        .map(|(object, page)| {
            let has = page.records().any(|record| record.kind() == "positions");
            has == (object == two.object_id("HEAD"))
        })
        .collect();
    assert_eq!(notes, [true, true], "only the note of the head itself has them");
}

#[test]
fn a_purge_does_not_know_positions() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = repo.say("HEAD", "a comment").ids[0];
    write(&repo, &[at(1, &[entry(said, 1, Basis::Blob, "diff")])]);
    let (record, purge) = purge_of(&repo.record_ids().into_iter().collect::<Vec<_>>(), &[]);
    assert_eq!(repo.store().purge(&record, &purge, &by_alice()).unwrap().dropped, 1, "the comment");
    assert_eq!(stored(&repo).len(), 1);
    let only = purge_of(&[*repo.record_ids().iter().find(|id| **id != record.id()).unwrap()], &[]);
    let refused = repo.store().purge(&only.0, &only.1, &by_alice());
    assert!(matches!(refused, Err(NotesError::NothingToPurge)), "{refused:?}");
}
