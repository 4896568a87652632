//! Writing notes as git would, beside a git that does the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use postil_core::git::{ObjectId, Patience, RefError, history, tree};
use postil_core::notes::{Batch, Committer, Home, NotesError, Store, StoreOptions, refs};
use postil_core::record::{Author, Record};
use postil_testkit::{Checkout, Sandbox, alice, by_alice, comment, options, wait_until};
use proptest::prelude::*;

/// An object that nobody has; the ids are spread as hashes are.
fn object(n: usize) -> ObjectId {
    let n = u64::try_from(n).unwrap();
    let mut state = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut bytes = [0; 20];
    for byte in &mut bytes {
        state ^= state >> 29;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        *byte = state.to_be_bytes()[0];
    }
    ObjectId::from_bytes(&bytes).unwrap()
}

/// The comment on that object.
fn said(n: usize) -> Record {
    comment(&format!("number {n}"))
}

fn fill(batch: Batch<'_>, numbers: impl IntoIterator<Item = usize>) -> Batch<'_> {
    numbers.into_iter().fold(batch, |batch, n| batch.add(Home::On(object(n)), said(n)))
}

fn tree_of(repo: &Checkout<'_>) -> String {
    repo.git(&["rev-parse", "refs/notes/reviews^{tree}"])
}

/// Lets stock git write the same notes into `refs/notes/stock`, and returns the tree.
fn as_git_writes(repo: &Checkout<'_>, count: usize) -> String {
    let mut stream = b"commit refs/notes/stock\ncommitter C <c@example.com> 0 +0000\ndata 1\nx\n".to_vec();
    for n in 0..count {
        let (record, id) = (said(n), object(n).to_string());
        // Importing into one large directory takes git a long time.
        let path = if count < 10_000 { id } else { format!("{}/{}/{}", &id[..2], &id[2..4], &id[4..]) };
        stream.extend(format!("M 100644 inline {path}\ndata {}\n", record.as_bytes().len()).bytes());
        stream.extend_from_slice(record.as_bytes());
        stream.push(b'\n');
    }
    repo.git_with(&["fast-import", "--quiet"], &stream);
    // Whoever writes next gives them the fanout that git wants.
    repo.git(&["notes", "--ref=stock", "add", "-m", "one more", "HEAD"]);
    repo.git(&["notes", "--ref=stock", "remove", "HEAD"]);
    repo.git(&["rev-parse", "refs/notes/stock^{tree}"])
}

#[test]
fn the_tree_is_the_one_that_git_writes_for_the_same_notes() {
    for count in [0, 1, 2, 17, 255, 257, 2000] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo");
        let store = repo.store();
        fill(store.batch(), 0..count).write(&by_alice(), "Comment").unwrap();
        if count == 0 {
            assert_eq!(store.tip().unwrap(), None, "nothing to write makes no commit");
            continue;
        }
        assert_eq!(tree_of(&repo), as_git_writes(&repo, count), "{count} notes");
        assert_eq!(repo.git(&["notes", "--ref=reviews", "list"]).lines().count(), count);
        assert_eq!(repo.record_ids().len(), count);
        repo.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

#[test]
fn git_shows_the_very_bytes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "first");
    repo.say("HEAD", "second");
    let shown = repo.git_with(&["notes", "--ref=reviews", "show", "HEAD"], b"");
    let mut records = [comment("first"), comment("second")];
    records.sort_by_key(Record::id);
    assert_eq!(shown, records.map(|record| record.as_bytes().to_vec()).concat());
    let blob = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    repo.git(&["notes", "--ref=stock", "add", "-C", &blob, "HEAD"]);
    assert_eq!(repo.git(&["rev-parse", "refs/notes/stock^{tree}"]), tree_of(&repo));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn groups_in_any_order_give_the_same_tree(
        groups in prop::collection::vec(prop::collection::vec(0..700_usize, 1..200), 1..5).prop_shuffle(),
        pins in prop::collection::vec(0..4_usize, 0..4),
    ) {
        let sandbox = Sandbox::new();
        let (one, two) = (sandbox.repo("one"), sandbox.init("two", &[]));
        for remote in [&one, &two] {
            remote.git(&["remote", "add", "origin", "nowhere"]);
        }
        one.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let head = one.commit_id("HEAD");
        let store = one.store();
        for (n, group) in groups.iter().enumerate() {
            let mut batch = fill(store.batch(), group.iter().copied());
            if pins.contains(&n) {
                batch = batch.pin(one.blob_id("HEAD:file"), Some(head));
            }
            batch.write(&by_alice(), "Comment").unwrap();
        }
        two.git(&["fetch", "-q", "../one", "+refs/heads/main:refs/remotes/origin/main"]);
        let mut all: Vec<usize> = groups.concat();
        all.sort_unstable();
        all.dedup();
        let other = two.store();
        let mut batch = fill(other.batch(), all.into_iter().rev());
        if pins.iter().any(|n| *n < groups.len()) {
            batch = batch.pin(two.blob_id("refs/remotes/origin/main:file"), Some(head));
        }
        batch.write(&by_alice(), "Comment").unwrap();
        prop_assert_eq!(tree_of(&one), tree_of(&two));
    }
}

#[test]
fn seventy_thousand_notes_are_read_and_written_to() {
    const MANY: usize = 70_000;
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let before = as_git_writes(&repo, MANY);
    repo.git(&["update-ref", refs::NOTES, "refs/notes/stock"]);
    repo.git(&["update-ref", refs::KNOWN, "refs/notes/stock"]);
    repo.say("HEAD", "one more");
    let snapshot = repo.store().read().unwrap();
    assert_eq!((snapshot.records().count(), snapshot.damage().is_none()), (MANY + 1, true));
    // Had the fanout been another than git's, its tree would now be another too.
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    assert_eq!(tree_of(&repo), before);
}

#[test]
fn a_commit_names_the_person_and_says_what_happened() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let write = |by: &Committer, message: &str| {
        let store = repo.store();
        store.batch().add(Home::On(repo.object_id("HEAD")), comment(message)).write(by, message).unwrap();
        repo.git(&["log", "-1", "--format=%an <%ae> %ad, %cn <%ce> %cd|%B", "--date=raw", refs::NOTES])
    };
    assert_eq!(
        write(&by_alice(), "Comment on src/lib.rs\n\nIn more words."),
        "Alice <alice@example.com> 1700000000 +0100, Alice <alice@example.com> 1700000000 +0100|\
         Comment on src/lib.rs\n\nIn more words.\n"
    );
    for (name, email) in [("", ""), ("Eve <eve@x>\nparent 0", "a\nb"), ("Zo\u{eb}", "z@example.com")] {
        let by = Committer::new(&Author { name: name.into(), email: email.into() }, 1, -5400);
        write(&by, &format!("by {name:?}\0 with a NUL"));
    }
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    let author = repo.git(&["log", "-1", "--format=%an|%ad", "--date=raw", refs::NOTES]);
    assert_eq!(author, "Zo\u{eb}|1 -0130");
    let reflog = repo.git(&["reflog", "show", "--format=%gn|%gs", refs::NOTES]);
    let oldest = reflog.lines().last().unwrap();
    assert_eq!(oldest, "Alice|Comment on src/lib.rs");
    assert_eq!(reflog.lines().count(), 4);
}

#[test]
fn a_record_that_is_there_already_makes_no_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let (first, again) = (repo.say("HEAD", "once"), repo.say("HEAD", "once"));
    assert_eq!((first.tip, &first.ids), (again.tip, &again.ids));
}

#[test]
fn a_lock_that_git_holds_is_waited_for_and_then_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "before");
    let lock = repo.dir.join(".git/refs/notes/reviews.lock");
    fs::write(&lock, "").unwrap();
    let patience = Patience::new(Duration::from_millis(200), std::thread::sleep);
    let store = Store::new(repo.open(), StoreOptions { patience, ..options() });
    let head = Home::On(repo.object_id("HEAD"));
    let refused = store.batch().add(head, comment("meanwhile")).write(&by_alice(), "Comment");
    match refused {
        Err(NotesError::Ref(RefError::Locked { path, waited })) => {
            assert_eq!((path, waited), (fs::canonicalize(&lock).unwrap(), Duration::from_millis(200)));
        }
        other => panic!("{other:?}"),
    }
    assert!(lock.exists(), "it is not ours to remove");
    assert_eq!(repo.record_ids().len(), 1, "readers do not wait");
    // Somebody who is patient gets through once the other is done.
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| repo.say("HEAD", "patiently"));
        let writer = repo.dir.join(".git/postil/writer");
        wait_until("somebody waits", || !fs::read(&writer).unwrap().trim_ascii().is_empty());
        fs::remove_file(&lock).unwrap();
        waiting.join().unwrap()
    });
    assert!(repo.record_ids().contains(&waiting.ids[0]));
    assert_eq!(repo.record_ids().len(), 2);
}

#[test]
fn what_cannot_be_done_after_the_notes_moved_is_a_warning() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "before");
    let lock = repo.dir.join(".git/refs/postil/known.lock");
    fs::write(&lock, "").unwrap();
    let write = |text: &str| {
        let store = repo.store();
        let batch = store.batch().add(Home::On(repo.object_id("HEAD")), comment(text));
        let written = batch.write(&by_alice(), "Comment").unwrap();
        assert_eq!(written.tip.map(|tip| tip.to_string()), Some(repo.git(&["rev-parse", refs::NOTES])));
        assert!(repo.record_ids().contains(&written.ids[0]), "{text}");
        written
    };
    // The second one is written on a tip that could not be remembered as checked.
    for text in ["first", "second"] {
        let warnings = write(text).warnings;
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(warning.contains("known.lock"), "{warning}");
    }
    assert!(lock.exists(), "it is not ours to remove");
    fs::remove_file(&lock).unwrap();
    assert_eq!(write("third").warnings, [""; 0]);
    assert_eq!(repo.record_ids().len(), 4);
    assert_eq!(repo.git(&["rev-parse", refs::KNOWN]), repo.git(&["rev-parse", refs::NOTES]));
}

#[test]
fn a_collection_right_after_a_write_takes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    // One store for all: it has seen packs that are gone.
    let store = repo.store();
    for n in [1, 100, 2] {
        fill(store.batch(), 0..n).write(&by_alice(), "Comment").unwrap();
        store.batch().pin_content(format!("work in progress {n}")).write(&by_alice(), "Keep").unwrap();
        repo.git(&["gc", "-q", "--prune=now"]);
        store.read().unwrap();
    }
    assert_eq!(repo.record_ids().len(), 100);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    let keeps = fs::read_dir(repo.dir.join(".git/objects/pack")).unwrap();
    let keeps: Vec<PathBuf> = keeps
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "keep"))
        .collect();
    assert_eq!(keeps, Vec::<PathBuf>::new(), "git may repack what is written");
}

#[test]
fn what_a_collection_took_is_written_anew() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    // Two packs by somebody else; of the first, the store comes to know the index alone.
    fill(repo.store().batch(), 0..60).write(&by_alice(), "Comment").unwrap();
    fill(repo.store().batch(), 60..120).write(&by_alice(), "Comment").unwrap();
    let store = repo.store();
    fill(store.batch(), 120..121).write(&by_alice(), "Comment").unwrap();
    for args in [
        &["update-ref", "-d", refs::NOTES][..],
        &["update-ref", "-d", refs::KNOWN],
        &["gc", "-q", "--prune=now"],
    ] {
        repo.git(args);
    }
    fill(store.batch(), 0..60).write(&by_alice(), "Comment").unwrap();
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(repo.record_ids().len(), 60);
}

/// Names of all files below a directory, with the time of their last change.
fn loose_objects(repo: &Checkout<'_>) -> Vec<PathBuf> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&repo.dir.join(".git/objects"), &mut found);
    found
}

#[test]
fn a_write_leaves_no_draft_and_no_lock_behind() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "few objects");
    fill(repo.store().batch(), 0..200).write(&by_alice(), "Many objects").unwrap();
    let odd = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains("tmp") || name.contains("new") || name.ends_with("lock") || name.ends_with("keep")
    };
    assert_eq!(loose_objects(&repo).into_iter().filter(odd).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    let mut left: Vec<_> =
        fs::read_dir(repo.dir.join(".git/postil")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["kept", "kept.list", "refs", "turn", "writer"]);
}

#[test]
fn comments_on_a_commit_with_a_large_note_go_to_the_blob() {
    large_note_beside(0);
}

#[test]
fn a_large_note_is_found_in_a_folder_of_notes_as_well() {
    large_note_beside(3_000);
}

fn large_note_beside(others: usize) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let (commit, blob) = (repo.commit_id("HEAD"), repo.blob_id("HEAD:file"));
    let store = repo.store();
    let mut batch = fill(store.batch(), 0..others);
    for n in 0..9 {
        batch = batch.add(
            Home::Anchor { commit: Some(commit), blob },
            comment(&format!("{n}{}", "long ".repeat(6000))),
        );
    }
    batch.write(&by_alice(), "Long comments").unwrap();
    assert_eq!(repo.notes_paths().iter().any(|path| path.contains('/')), others > 0, "in folders, or not");
    let on = |object: ObjectId| repo.pairs().iter().filter(|(at, _)| *at == object).count();
    assert_eq!((on(commit.into()), on(blob.into())), (9, 0), "one group stays together");
    store
        .batch()
        .add(Home::Anchor { commit: Some(commit), blob }, comment("short"))
        .write(&by_alice(), "Comment")
        .unwrap();
    assert_eq!((on(commit.into()), on(blob.into())), (9, 1));
    store
        .batch()
        .add(Home::On(commit.into()), comment("a reply to one of them"))
        .write(&by_alice(), "Reply")
        .unwrap();
    assert_eq!((on(commit.into()), on(blob.into())), (10, 1), "a thread stays in one note");
    store
        .batch()
        .add(Home::Anchor { commit: None, blob }, comment("uncommitted"))
        .write(&by_alice(), "Comment")
        .unwrap();
    assert_eq!((on(commit.into()), on(blob.into())), (10, 2));
}

#[test]
fn a_known_tip_that_a_power_loss_emptied_is_as_good_as_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "before");
    fs::write(repo.dir.join(".git/refs/postil/known"), "").unwrap();
    assert!(!repo.store().check(&by_alice()).unwrap().healed());
    assert_eq!(repo.commit_id(refs::KNOWN), repo.commit_id(refs::NOTES));
    fs::write(repo.dir.join(".git/refs/postil/known"), "").unwrap();
    repo.say("HEAD", "after");
    assert_eq!(repo.record_ids().len(), 2);
    assert_eq!(repo.commit_id(refs::KNOWN), repo.commit_id(refs::NOTES));
}

#[test]
fn a_known_tip_that_is_gone_is_as_good_as_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "before");
    fs::write(repo.dir.join(".git/refs/postil/known"), "1".repeat(40)).unwrap();
    repo.say("HEAD", "after");
    assert_eq!(repo.record_ids().len(), 2);
    assert_eq!(repo.commit_id(refs::KNOWN), repo.commit_id(refs::NOTES));
}

#[test]
fn the_notes_and_what_is_known_of_them_move_together() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "one");
    assert_eq!(repo.commit_id(refs::KNOWN), repo.commit_id(refs::NOTES));
    repo.git(&["pack-refs", "--all"]);
    repo.say("HEAD", "two");
    assert_eq!(repo.commit_id(refs::KNOWN), repo.commit_id(refs::NOTES));
    let handle = repo.store().repository().handle();
    let tip = history::commit(&handle, repo.commit_id(refs::NOTES)).unwrap();
    assert_eq!(tree::list(&handle, tip.tree).unwrap().entries.len(), 1);
    let by = Committer::new(&alice(), 1_800_000_000, 0);
    repo.store().batch().write(&by, "Nothing").unwrap();
    assert_eq!(
        history::commit(&handle, repo.commit_id(refs::NOTES)).unwrap(),
        tip,
        "nothing is written for nothing"
    );
}
