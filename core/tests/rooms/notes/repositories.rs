//! The store in every kind of repository that git makes.

use std::path::Path;

use postil_core::git::{ConfigScope, OpenError, Repository};
use postil_core::notes::{Home, MergeKind, NotesError, Store, refs};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, by_alice, comment, options};

/// Writes, reads, heals and merges in `repo`, with `other` as the machine to exchange notes with.
fn check(what: &str, repo: &Checkout<'_>, other: &Checkout<'_>) {
    let head = repo.commit_id("HEAD");
    let blob = repo.blob_id("HEAD:file");
    let batch = repo
        .store()
        .batch()
        .add(Home::Anchor { commit: Some(head), blob }, comment("one"))
        .pin(blob, Some(head))
        .write(&by_alice(), "Comment")
        .unwrap();
    assert_eq!(repo.record_ids().into_iter().collect::<Vec<_>>(), batch.ids, "{what}");
    assert_eq!(
        repo.git(&["notes", "--ref=reviews", "list"]).split(' ').nth(1),
        Some(&*head.to_string()),
        "{what}"
    );
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    assert_eq!(repo.store().check(&by_alice()).unwrap().records, 1, "{what}");
    other.say("HEAD", "from elsewhere");
    assert_eq!(take_in(repo, other), MergeKind::Commit, "{what}");
    assert_eq!(take_in(other, repo), MergeKind::FastForward, "{what}");
    assert_eq!(repo.record_ids().len(), 2, "{what}");
    assert_eq!(repo.pairs(), other.pairs(), "{what}");
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn the_store_works_with_both_hashes() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::in_memory();
        let repo = sandbox.init("repo", &["--object-format", format]);
        repo.commit("file", "content\n");
        let other = sandbox.copy("repo", "other");
        check(format, &repo, &other);
    }
}

#[test]
fn the_store_works_in_a_bare_repository() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    sandbox.git(&["clone", "-q", "--bare", "other", "bare.git"]);
    check("bare", &sandbox.at("bare.git"), &other);
}

#[test]
fn linked_work_trees_share_one_store() {
    let sandbox = Sandbox::in_memory();
    let main = sandbox.repo("main");
    main.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    let (linked, other) = (sandbox.at("linked"), sandbox.copy("main", "other"));
    check("linked", &linked, &other);
    assert_eq!(main.pairs(), linked.pairs());
    let written = main.say("HEAD", "from the main one");
    assert!(!written.checked.healed(), "what one work tree knows the other knows");
    assert_eq!(main.pairs(), linked.pairs());
    assert!(!Path::new(&linked.git(&["rev-parse", "--absolute-git-dir"])).join("refs/notes").exists());
}

#[test]
fn objects_of_another_repository_are_used() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    other.say("HEAD", "there already");
    sandbox.git(&["clone", "-q", "--shared", "other", "repo"]);
    let repo = sandbox.at("repo");
    repo.git(&["update-ref", refs::NOTES, &other.git(&["rev-parse", refs::NOTES])]);
    assert!(!repo.store().check(&by_alice()).unwrap().healed());
    repo.say("HEAD", "on top");
    assert_eq!(repo.record_ids().len(), 2);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(other.record_ids().len(), 1, "the other one is not written to");
}

#[test]
fn a_shallow_clone_keeps_whole_reviews() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    other.say("HEAD", "on what will not be cloned");
    other.commit("file", "newer\n");
    let url = format!("file://{}", other.dir.display());
    sandbox.git(&["clone", "-q", "--depth=1", &url, "repo"]);
    let repo = sandbox.at("repo");
    assert_eq!(take_in(&repo, &other), MergeKind::FastForward);
    assert_eq!(repo.pairs(), other.pairs());
    let before = other.record_ids();
    repo.git(&["notes", "--ref=reviews", "remove", &other.git(&["rev-parse", "HEAD~"])]);
    assert_eq!(
        repo.store().check(&by_alice()).unwrap().records,
        1,
        "a note of a commit that is not here heals"
    );
    assert_eq!(repo.record_ids(), before);
}

#[test]
fn notes_whose_own_history_is_shallow_are_merged() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    for n in 0..3 {
        other.say("HEAD", &format!("{n}"));
    }
    let url = format!("file://{}", other.dir.display());
    sandbox.git(&["clone", "-q", &url, "repo"]);
    let repo = sandbox.at("repo");
    repo.git(&["fetch", "-q", "--depth=1", &url, "refs/notes/reviews:refs/notes/reviews"]);
    assert!(repo.open().is_shallow());
    assert!(!repo.store().check(&by_alice()).unwrap().healed());
    repo.say("HEAD", "on the shallow side");
    other.say("HEAD", "on the whole side");
    assert_eq!(take_in(&repo, &other), MergeKind::Commit);
    assert_eq!(take_in(&other, &repo), MergeKind::FastForward);
    assert_eq!(repo.record_ids().len(), 5);
    assert_eq!(repo.pairs(), other.pairs());
}

/// A clone that has the notes' trees and none of their blobs.
fn partial<'s>(sandbox: &'s Sandbox, other: &Checkout<'_>) -> Checkout<'s> {
    other.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", other.dir.display());
    sandbox.git(&["clone", "-q", "--filter=blob:none", &url, "repo"]);
    let repo = sandbox.at("repo");
    repo.git(&["fetch", "-q", "origin", "refs/notes/reviews:refs/notes/reviews"]);
    repo
}

#[test]
fn a_partial_clone_reads_what_it_has_and_tells_what_it_lacks() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    let written = other.say("HEAD", "not fetched");
    let repo = partial(&sandbox, &other);
    let (store, checked) = Store::open(repo.open(), options(), &by_alice()).unwrap();
    assert!(!checked.healed());
    let snapshot = store.read().unwrap();
    assert_eq!((snapshot.records().count(), snapshot.damage().missing.len()), (0, 1));

    // New comments go where they can.
    let anchor = Home::Anchor { commit: Some(repo.commit_id("HEAD")), blob: repo.blob_id("HEAD:file") };
    store.batch().add(anchor, comment("beside it")).write(&by_alice(), "Comment").unwrap();
    let there =
        store.batch().add(Home::On(repo.object_id("HEAD")), comment("there")).write(&by_alice(), "Comment");
    assert!(matches!(there, Err(NotesError::ReadNote { .. })), "{there:?}");
    assert_eq!(repo.record_ids().len(), 1);
    assert_eq!(take_in(&other, &repo), MergeKind::FastForward);
    assert_eq!(other.record_ids().len(), 2);

    // Git brings the blob when it is asked for it, and then it counts.
    repo.git_with(&["notes", "--ref=reviews", "show", "HEAD"], b"");
    let ids = repo.record_ids();
    assert!(ids.len() == 2 && ids.contains(&written.ids[0]));
}

#[test]
fn a_partial_clone_heals_what_it_can_read() {
    let sandbox = Sandbox::in_memory();
    let other = sandbox.repo("other");
    other.say("HEAD", "one");
    let blob = Home::On(other.object_id("HEAD:file"));
    other.store().batch().add(blob, comment("two")).write(&by_alice(), "Comment").unwrap();
    let repo = partial(&sandbox, &other);
    repo.store().check(&by_alice()).unwrap();
    repo.git_with(&["notes", "--ref=reviews", "show", "HEAD:file"], b"");
    // Both notes lose what they said; the blob of one is here, that of the other is not and stays with whoever has it.
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD:file", "HEAD"]);
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, checked.unreadable), (1, 0));
    other.store().check(&by_alice()).unwrap();
    assert_eq!(take_in(&other, &repo), MergeKind::Commit, "the whole clone brings back the rest");
    assert_eq!(other.record_ids().len(), 2);
}

#[test]
fn refs_as_a_reftable_are_refused_in_words() {
    let sandbox = Sandbox::in_memory();
    let made = sandbox.at("").try_git(&["init", "-q", "--ref-format=reftable", "repo"]);
    if !made.status.success() {
        postil_testkit::skipped("a git that knows reftable");
        return;
    }
    let error = Repository::open(&sandbox.path().join("repo"), ConfigScope::Isolated).unwrap_err();
    assert!(matches!(&error, OpenError::RefFormat { format, .. } if format == "reftable"), "{error:?}");
    assert!(error.to_string().contains("git refs migrate"), "{error}");
}
