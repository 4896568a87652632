//! While a `git notes merge` of the notes is open, nothing but the person moves the ref, and nothing is lost.

use postil_core::git::ObjectId;
use postil_core::notes::{Draft, Home, NotesError, refs};
use postil_core::record::{Record, RecordId};
use postil_testkit::{Checkout, Sandbox, by_alice, comment};

/// A repository with a comment, and notes of somebody else on the same commit.
fn reviewed<'s>(sandbox: &'s Sandbox, name: &str) -> (Checkout<'s>, RecordId) {
    let repo = sandbox.repo(name);
    let said = repo.say("HEAD", "ours").ids[0];
    repo.git(&["notes", "--ref=theirs", "add", "-m", "theirs", "HEAD"]);
    (repo, said)
}

/// Begins a merge that stops at a conflict.
fn begin_merge(repo: &Checkout<'_>, into: &str) {
    let merge = repo.try_git(&["notes", "--ref", into, "merge", "-s", "manual", "theirs"]);
    assert!(!merge.status.success(), "the notes are in conflict");
}

fn draft(repo: &Checkout<'_>, record: &Record) -> Draft {
    let home = Home::On(ObjectId::from(repo.commit_id("HEAD")));
    Draft { review: None, home, record: record.clone(), pins: Vec::new() }
}

/// Everything that would move the ref is refused, and a comment waits.
fn write_meanwhile(repo: &Checkout<'_>) -> RecordId {
    let (store, tip) = (repo.store(), repo.commit_id(refs::NOTES));
    let record = comment("said meanwhile");
    let home = Home::On(ObjectId::from(repo.commit_id("HEAD")));
    let written = store.batch().add(home, record.clone()).write(&by_alice(), "Comment");
    assert!(matches!(written, Err(NotesError::MergeOpen { .. })), "{written:?}");
    assert_eq!(store.check(&by_alice()).unwrap().tip, Some(tip));
    store.add_waiting(&[draft(repo, &record)], &by_alice()).unwrap();
    assert_eq!(store.publish_waiting(&by_alice()).unwrap(), None, "it is still open");
    assert_eq!(repo.commit_id(refs::NOTES), tip);
    assert_eq!(store.drafts().unwrap().len(), 1);
    record.id()
}

/// After the merge ended, what waited is shared, and what the merge dropped is back.
fn shared_afterwards(repo: &Checkout<'_>, ids: &[RecordId]) {
    let store = repo.store();
    assert_eq!(store.open_merge(), None);
    assert!(store.publish_waiting(&by_alice()).unwrap().is_some());
    assert!(store.waiting().is_empty() && store.drafts().unwrap().is_empty());
    let found = repo.record_ids();
    assert!(ids.iter().all(|id| found.contains(id)), "{found:?}");
    assert_eq!(store.publish_waiting(&by_alice()).unwrap(), None);
}

#[test]
fn a_person_can_commit_the_merge_and_what_was_said_meanwhile_is_shared_then() {
    let sandbox = Sandbox::in_memory();
    let (repo, said) = reviewed(&sandbox, "repo");
    begin_merge(&repo, "reviews");
    assert_eq!(repo.store().open_merge().unwrap().place(), std::fs::canonicalize(&repo.dir).unwrap());
    let waiting = write_meanwhile(&repo);
    repo.git(&["notes", "merge", "--commit"]);
    shared_afterwards(&repo, &[said, waiting]);
}

#[test]
fn a_person_can_abort_the_merge() {
    let sandbox = Sandbox::in_memory();
    let (repo, said) = reviewed(&sandbox, "repo");
    begin_merge(&repo, "reviews");
    let waiting = write_meanwhile(&repo);
    repo.git(&["notes", "merge", "--abort"]);
    shared_afterwards(&repo, &[said, waiting]);
}

#[test]
fn a_merge_in_a_linked_working_tree_counts_in_all_of_them() {
    let sandbox = Sandbox::in_memory();
    let (repo, said) = reviewed(&sandbox, "repo");
    repo.git(&["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.at("linked");
    begin_merge(&linked, "reviews");
    assert_eq!(repo.store().open_merge().unwrap().place(), std::fs::canonicalize(&linked.dir).unwrap());
    let waiting = write_meanwhile(&repo);
    linked.git(&["notes", "merge", "--commit"]);
    shared_afterwards(&repo, &[said, waiting]);
}

#[test]
fn a_merge_of_other_notes_is_of_no_concern() {
    let sandbox = Sandbox::in_memory();
    let (repo, said) = reviewed(&sandbox, "repo");
    repo.git(&["notes", "--ref=other", "add", "-m", "other", "HEAD"]);
    begin_merge(&repo, "other");
    assert_eq!(repo.store().open_merge(), None);
    let more = repo.say("HEAD", "more").ids[0];
    assert_eq!(repo.record_ids(), [said, more].into());
    repo.git(&["notes", "merge", "--commit"]);
}
