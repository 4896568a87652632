//! Blobs that are kept for anchors, and that nothing is published before git has published it.

use std::collections::BTreeSet;

use postil_core::git::{BlobId, CommitId};
use postil_core::notes::{Home, NotesError, WrittenBatch, refs};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, by_alice, comment, purge_of};

/// A repository whose `main` is on its remote `origin`.
fn published(sandbox: &Sandbox) -> Checkout<'_> {
    sandbox.git(&["init", "-q", "--bare", "origin.git"]);
    let repo = sandbox.repo("repo");
    add_remote(&repo, "origin");
    repo
}

fn add_remote(repo: &Checkout<'_>, name: &str) {
    repo.git(&["remote", "add", name, &format!("../{name}.git")]);
    repo.git(&["push", "-q", name, "main"]);
}

/// Comments on `file` as the commit `rev` has it, and pins that.
fn comment_on(repo: &Checkout<'_>, rev: &str, text: &str) -> (WrittenBatch, BlobId) {
    let (commit, blob) = (repo.commit_id(rev), repo.blob_id(&format!("{rev}:file")));
    let store = repo.store();
    let batch = store.batch().add(Home::Anchor { commit: Some(commit), blob }, comment(text));
    (batch.pin(blob, Some(commit)).write(&by_alice(), "Comment").unwrap(), blob)
}

/// What a remote has after the notes were pushed to it, as stock git does.
fn pushed(repo: &Checkout<'_>, remote: &str) -> BTreeSet<String> {
    repo.git(&["push", "-q", remote, "+refs/notes/reviews:refs/notes/reviews"]);
    let bare = repo.git(&["-C", &format!("../{remote}.git"), "rev-list", "--objects", "--all"]);
    bare.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

fn collect(repo: &Checkout<'_>) {
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
}

fn content(repo: &Checkout<'_>, blob: BlobId) -> Option<String> {
    let found = repo.try_git(&["cat-file", "blob", &blob.to_string()]);
    found.status.success().then(|| String::from_utf8(found.stdout).unwrap())
}

#[test]
fn a_commented_blob_outlives_a_force_push_and_every_collection() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.commit("file", "will be force-pushed away\n");
    repo.git(&["push", "-q", "origin", "main"]);
    let (_, blob) = comment_on(&repo, "HEAD", "look at this");
    assert_eq!(repo.pins(), [blob].into());
    repo.git(&["push", "-q", "origin", refs::NOTES]);
    repo.git(&["reset", "-q", "--hard", "HEAD~"]);
    repo.git(&["push", "-q", "--force", "origin", "main"]);
    collect(&repo);
    collect(&sandbox.at("origin.git"));
    assert_eq!(content(&repo, blob).as_deref(), Some("will be force-pushed away\n"));

    // By a path, git would copy all files instead of asking for what it needs.
    sandbox.git(&[
        "clone",
        "-q",
        &format!("file://{}", sandbox.path().join("origin.git").display()),
        "fresh",
    ]);
    let fresh = sandbox.at("fresh");
    assert_eq!(content(&fresh, blob), None, "the clone did not bring it");
    fresh.git(&["fetch", "-q", "origin", "refs/notes/reviews:refs/notes/reviews"]);
    collect(&fresh);
    assert_eq!(content(&fresh, blob).as_deref(), Some("will be force-pushed away\n"));
    fresh.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn an_unpublished_blob_is_kept_here_and_shared_once_git_has_published_it() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.git(&["checkout", "-q", "-b", "secret"]);
    repo.commit("file", "not pushed yet\n");
    let (_, blob) = comment_on(&repo, "HEAD", "before it is pushed");
    assert_eq!(repo.pins(), BTreeSet::new());
    assert!(!pushed(&repo, "origin").contains(&blob.to_string()), "nothing is published by the notes");
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 0, "nothing changed");

    // Even when its branch is gone, the blob is kept here.
    let commit = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["tag", "keep", &commit]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "secret"]);
    collect(&repo);
    assert_eq!(content(&repo, blob).as_deref(), Some("not pushed yet\n"));

    repo.git(&["push", "-q", "origin", "keep^{commit}:refs/heads/public"]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!(repo.pins(), [blob].into());
    assert!(pushed(&repo, "origin").contains(&blob.to_string()));
    assert!(
        !repo.try_git(&["rev-parse", "-q", "--verify", refs::LOCAL_PINS]).status.success(),
        "no blob waits any more"
    );
    let tip = repo.commit_id(refs::NOTES);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 0);
    assert_eq!(repo.commit_id(refs::NOTES), tip);
}

#[test]
fn a_blob_of_a_commit_that_is_lost_is_still_kept() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.commit("file", "to be amended\n");
    let (_, blob) = comment_on(&repo, "HEAD", "on what is amended");
    repo.write("file", "amended\n");
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    collect(&repo);
    assert_eq!(content(&repo, blob).as_deref(), Some("to be amended\n"));
    repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 0, "neither commit nor blob was published");
    assert!(!pushed(&repo, "origin").contains(&blob.to_string()));
}

#[test]
fn a_blob_whose_commit_was_rewritten_is_shared_with_the_new_commit() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.commit("file", "stays the same\n");
    let (_, blob) = comment_on(&repo, "HEAD", "on what is rebased");
    repo.git(&["commit", "-q", "--amend", "-m", "in other words"]);
    collect(&repo);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 0);
    repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!(repo.pins(), [blob].into());
}

#[test]
fn every_remote_that_notes_are_synced_with_must_have_the_commit() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    sandbox.git(&["init", "-q", "--bare", "backup.git"]);
    add_remote(&repo, "backup");
    repo.commit("file", "for one of them\n");
    repo.git(&["push", "-q", "origin", "main"]);
    let (_, blob) = comment_on(&repo, "HEAD", "on what one remote has");
    assert_eq!(repo.pins(), BTreeSet::new(), "the other remote does not have it");

    // Once the notes are synced with some, only those count.
    let tracking = format!("{}origin/reviews", refs::REMOTES);
    repo.git(&["update-ref", &tracking, refs::NOTES]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!(repo.pins(), [blob].into());

    repo.git(&["update-ref", &format!("{}backup/reviews", refs::REMOTES), refs::NOTES]);
    repo.commit("file", "again for one of them\n");
    repo.git(&["push", "-q", "origin", "main"]);
    let (_, second) = comment_on(&repo, "HEAD", "on what one remote has, again");
    assert_eq!(repo.pins(), [blob].into());
    repo.git(&["push", "-q", "backup", "main"]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!(repo.pins(), [blob, second].into());
}

#[test]
fn a_remote_that_was_removed_is_synced_with_no_more() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.git(&["update-ref", &format!("{}gone/reviews", refs::REMOTES), "HEAD"]);
    let (_, blob) = comment_on(&repo, "HEAD", "goes on");
    assert_eq!(repo.pins(), [blob].into());
}

#[test]
fn without_a_remote_everything_stays_here() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let (_, blob) = comment_on(&repo, "HEAD", "all alone");
    assert_eq!(repo.pins(), BTreeSet::new());
    assert_eq!(
        repo.git(&["ls-tree", "-r", "--name-only", refs::LOCAL_PINS]),
        format!("{}/{blob}", repo.git(&["rev-parse", "HEAD"]))
    );
}

#[test]
fn what_a_tracking_branch_of_odd_refspecs_says_is_believed_or_not_as_it_should() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    // Tags, and a ref that leads nowhere, among what is tracked.
    repo.git(&["tag", "-a", "-m", "tagged", "v1"]);
    repo.git(&["config", "--add", "remote.origin.fetch", "+refs/tags/*:refs/remotes/origin/tags/*"]);
    repo.git(&["update-ref", "refs/remotes/origin/tags/v1", "v1"]);
    repo.git(&["update-ref", "refs/remotes/origin/tags/tree", "HEAD^{tree}"]);
    let store = repo.store();
    store.batch().pin_content("never committed\n").write(&by_alice(), "Keep").unwrap();
    let (_, blob) = comment_on(&repo, "HEAD", "on a pushed commit");
    assert_eq!(repo.pins(), [blob].into());
}

#[test]
fn text_of_the_work_tree_is_kept_here_until_it_is_committed_and_pushed() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    let text = "typed, not committed\n";
    repo.write("file", text);
    let blob = BlobId::from_hex(repo.git(&["hash-object", "file"]).as_bytes()).unwrap();
    assert_eq!(content(&repo, blob), None);
    let store = repo.store();
    let batch = store.batch().add(Home::Anchor { commit: None, blob }, comment("on what I type"));
    batch.pin_content(text).write(&by_alice(), "Comment").unwrap();
    collect(&repo);
    assert_eq!(content(&repo, blob).as_deref(), Some(text));
    assert_eq!((repo.pins(), pushed(&repo, "origin").contains(&blob.to_string())), (BTreeSet::new(), false));

    repo.commit("file", text);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 0, "committed is not published");
    repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(repo.store().promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!((repo.pins(), pushed(&repo, "origin").contains(&blob.to_string())), ([blob].into(), true));
}

#[test]
fn text_that_was_committed_and_changed_again_before_the_push_is_shared_too() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    let store = repo.store();
    store.batch().pin_content("first\n").pin_content("never committed\n").write(&by_alice(), "Keep").unwrap();
    for content in ["first\n", "second\n", "third\n"] {
        repo.commit("file", content);
    }
    repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(store.promote_pins(&by_alice()).unwrap(), 1);
    assert_eq!(repo.pins(), [repo.blob_id("HEAD~2:file")].into());
    let waiting = repo.git(&["ls-tree", "-r", "--name-only", refs::LOCAL_PINS]);
    assert!(waiting.starts_with("uncommitted/1700000000/") && waiting.lines().count() == 1, "{waiting}");
}

#[test]
fn a_blob_that_is_not_here_cannot_be_kept() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    let store = repo.store();
    let missing = BlobId::from_bytes(&[7; 20]).unwrap();
    for blob in [missing, repo.blob_id("HEAD^{tree}")] {
        for commit in [None, Some(repo.commit_id("HEAD"))] {
            let batch = store.batch().add(Home::On(repo.object_id("HEAD")), comment("on no blob"));
            let refused = batch.pin(blob, commit).write(&by_alice(), "Comment");
            assert!(
                matches!(refused, Err(NotesError::NoSuchBlob { blob_id }) if blob_id == blob),
                "{refused:?}"
            );
        }
    }
    assert_eq!(store.tip().unwrap(), None);
}

#[test]
fn a_stock_merge_that_drops_the_pins_of_the_other_side_gets_them_back() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    let (_, mine) = comment_on(&repo, "HEAD", "mine");
    let twin = sandbox.copy("repo", "twin");
    twin.commit("file", "theirs\n");
    twin.git(&["push", "-q", "origin", "main"]);
    let (_, theirs) = comment_on(&twin, "HEAD", "theirs");
    repo.say("HEAD", "so that the two have parted");
    repo.git(&["fetch", "-q", "../twin", "refs/notes/reviews:refs/notes/twin"]);
    repo.git(&["notes", "--ref=reviews", "merge", "-q", "-s", "union", "refs/notes/twin"]);
    assert_eq!(repo.pins(), [mine].into(), "git drops those of the other side");
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, checked.pins), (0, 1));
    assert_eq!(repo.pins(), [mine, theirs].into());
    assert!(content(&repo, theirs).is_some());
    let log = repo.git(&["log", "-1", "--format=%s", refs::NOTES]);
    assert_eq!(log, "Restore 1 pin missing from the notes");
}

#[test]
fn pins_of_both_sides_are_united_whatever_the_order() {
    let sandbox = Sandbox::in_memory();
    let one = published(&sandbox);
    let two = sandbox.copy("repo", "two");
    let (_, first) = comment_on(&one, "HEAD", "mine");
    two.commit("file", "theirs\n");
    two.git(&["push", "-q", "origin", "main"]);
    let (_, second) = comment_on(&two, "HEAD", "theirs");
    take_in(&one, &two);
    take_in(&two, &one);
    assert_eq!((one.pins(), two.pins()), ([first, second].into(), [first, second].into()));
}

#[test]
fn a_purged_blob_is_neither_shared_nor_kept() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    repo.write("file", "password = hunter2\n");
    let store = repo.store();
    let blob = BlobId::from_hex(repo.git(&["hash-object", "file"]).as_bytes()).unwrap();
    let batch = store.batch().add(Home::Anchor { commit: None, blob }, comment("oops"));
    let written = batch.pin_content("password = hunter2\n").write(&by_alice(), "Comment").unwrap();
    let (record, purge) = purge_of(&written.ids, &[blob]);
    store.purge(&record, &purge, &by_alice()).unwrap();
    assert!(!repo.try_git(&["rev-parse", "-q", "--verify", refs::LOCAL_PINS]).status.success());
    collect(&repo);
    assert_eq!(content(&repo, blob), None);

    // Also where the pin waits on another machine than the purge.
    let twin = sandbox.copy("repo", "twin");
    twin.commit("file", "password = hunter3\n");
    let (_, waiting) = comment_on(&twin, "HEAD", "waits");
    let (record, purge) = purge_of(&[], &[waiting]);
    let purged = repo.store().purge(&record, &purge, &by_alice());
    assert!(matches!(purged, Err(NotesError::NothingToPurge)), "what is nowhere here cannot be purged here");
    let blob_home = Home::On(waiting.into());
    repo.store().batch().add(blob_home, record).write(&by_alice(), "A purge by another version").unwrap();
    take_in(&twin, &repo);
    twin.git(&["push", "-q", "origin", "main"]);
    assert_eq!(twin.store().promote_pins(&by_alice()).unwrap(), 0);
    assert_eq!(twin.pins(), BTreeSet::new());
}

#[test]
fn a_pin_is_an_entry_that_is_the_very_blob() {
    let sandbox = Sandbox::in_memory();
    let repo = published(&sandbox);
    let (_, blob) = comment_on(&repo, "HEAD", "pinned");
    let hex = blob.to_string();
    let listed = repo.git(&["ls-tree", "-r", refs::NOTES, "pins/"]);
    assert_eq!(listed, format!("100644 blob {hex}\tpins/{}/{}", &hex[..2], &hex[2..]));
    let again = comment_on(&repo, "HEAD", "pinned again");
    assert_eq!((again.1, repo.pins()), (blob, [blob].into()));
    assert_eq!(CommitId::from(repo.object_id("HEAD").raw()), repo.commit_id("HEAD"));
}
