//! Objects of a write that git removes although a ref reaches them, as `git prune --expire=now` does beside a writer.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use postil_core::git::ObjectId;
use postil_core::notes::{Draft, Home, Store};
use postil_core::record::RecordId;
use postil_testkit::{Checkout, Sandbox, by_alice, comment};

/// The loose objects of a repository.
fn loose(repo: &Checkout<'_>) -> BTreeSet<PathBuf> {
    let folders = fs::read_dir(repo.dir.join(".git/objects")).unwrap().map(|folder| folder.unwrap().path());
    let of_objects = folders.filter(|folder| folder.file_name().is_some_and(|name| name.len() == 2));
    of_objects.flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path())).collect()
}

fn remove(objects: &[PathBuf]) {
    for object in objects {
        fs::remove_file(object).unwrap();
    }
}

fn kept(repo: &Checkout<'_>, object: &Path) -> PathBuf {
    let folder = object.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
    let rest = object.file_name().unwrap().to_string_lossy().into_owned();
    repo.dir.join(".git/postil/kept").join(folder + &rest)
}

fn write(store: &Store, on: ObjectId, text: &str) -> RecordId {
    let batch = store.batch().add(Home::On(on), comment(text)).pin_content(format!("{text} about this\n"));
    batch.write(&by_alice(), text).unwrap().ids[0]
}

/// Each of these alone, then all of them.
fn every_loss(objects: &BTreeSet<PathBuf>) -> Vec<Vec<PathBuf>> {
    let all: Vec<PathBuf> = objects.iter().cloned().collect();
    all.iter().map(|one| vec![one.clone()]).chain([all.clone()]).collect()
}

#[test]
fn whatever_git_removes_of_a_write_is_back_for_the_next_reader_and_writer() {
    let sandbox = Sandbox::new();
    let mut losses = 1;
    let mut number = 0;
    while number < losses {
        let repo = sandbox.repo(&format!("repo{number}"));
        let on = ObjectId::from(repo.commit_id("HEAD"));
        let long_lived = repo.store();
        let mut said = BTreeSet::from([write(&long_lived, on, "first")]);
        let before = loose(&repo);
        said.insert(write(&long_lived, on, "second"));
        let new: BTreeSet<PathBuf> = loose(&repo).difference(&before).cloned().collect();
        // For the notes a commit, a tree and a note; for the pin a commit, three trees and a blob.
        assert!(new.len() >= 7, "{new:?}");
        losses = every_loss(&new).len();
        let lost = every_loss(&new).swap_remove(number);
        number += 1;
        remove(&lost);
        repo.store().check(&by_alice()).unwrap();
        repo.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!(repo.record_ids(), said, "after {lost:?}");

        remove(&lost);
        let read = long_lived.read().unwrap();
        let ids: BTreeSet<RecordId> = read.records().map(|(_, record)| record.id()).collect();
        assert_eq!(ids, said, "a reader, after {lost:?}");

        // What the reader did not need may still be missing.
        for object in &lost {
            let _ = fs::remove_file(object);
        }
        said.insert(write(&long_lived, on, "third"));
        assert_eq!(repo.record_ids(), said, "a writer, after {lost:?}");
        repo.git(&["fsck", "--strict", "--no-dangling"]);
        assert!(repo.store().lost_tips().is_empty(), "nothing was skipped");
    }
}

#[test]
fn whatever_git_removes_of_a_draft_is_back_for_its_reader() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let home = Home::On(ObjectId::from(repo.commit_id("HEAD")));
    let before = loose(&repo);
    let draft = Draft { review: None, home, record: comment("later"), pins: Vec::new() };
    repo.store().add_drafts(std::slice::from_ref(&draft), &by_alice()).unwrap();
    let new: BTreeSet<PathBuf> = loose(&repo).difference(&before).cloned().collect();
    for lost in every_loss(&new) {
        remove(&lost);
        assert_eq!(repo.store().drafts().unwrap(), std::slice::from_ref(&draft), "after {lost:?}");
    }
}

#[test]
fn what_was_kept_and_is_damaged_is_not_put_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let before = loose(&repo);
    write(&repo.store(), ObjectId::from(repo.commit_id("HEAD")), "first");
    for object in loose(&repo).difference(&before) {
        for damage in [&b""[..], b"rubbish", &fs::read(object).unwrap()[..20]] {
            fs::remove_file(kept(&repo, object)).unwrap();
            fs::write(kept(&repo, object), damage).unwrap();
            let content = fs::read(object).unwrap();
            fs::remove_file(object).unwrap();
            assert_eq!(repo.open().restore_kept(&[]), 0);
            assert!(!object.exists());
            fs::write(object, content).unwrap();
        }
    }
}

#[test]
fn so_many_objects_are_kept_and_no_more() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let on = ObjectId::from(repo.commit_id("HEAD"));
    let before = loose(&repo);
    write(&repo.store(), on, "first");
    let first: Vec<PathBuf> = loose(&repo).difference(&before).cloned().collect();
    assert!(first.iter().all(|object| kept(&repo, object).is_file()));
    let list = repo.dir.join(".git/postil/kept.list");
    let lines = fs::read_to_string(&list).unwrap();
    fs::write(&list, lines + &format!("{on}\n").repeat(4096)).unwrap();
    // The file that the first comment is about, which the second one does not need.
    let id = repo.git_with(&["hash-object", "--stdin"], b"first about this\n");
    let id = String::from_utf8(id).unwrap();
    let blob = first.iter().find(|object| kept(&repo, object).ends_with(id.trim_end())).unwrap();
    fs::remove_file(blob).unwrap();

    write(&repo.store(), on, "second");
    assert!(blob.is_file(), "what is let go was put back before");
    assert!(!first.iter().any(|object| kept(&repo, object).exists()));
    assert!(fs::metadata(&list).unwrap().len() < 41 * 2200);
    let second = repo.git(&["rev-parse", "refs/notes/reviews"]);
    assert!(repo.dir.join(".git/postil/kept").join(second).is_file());
}

#[test]
fn what_git_has_packed_needs_no_second_name() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let on = ObjectId::from(repo.commit_id("HEAD"));
    let before = loose(&repo);
    let mut said = BTreeSet::from([write(&repo.store(), on, "first")]);
    let first: Vec<PathBuf> = loose(&repo).difference(&before).cloned().collect();
    repo.git(&["gc", "-q", "--prune=now"]);
    assert!(first.iter().all(|object| !object.exists() && kept(&repo, object).is_file()));
    said.insert(write(&repo.store(), on, "second"));
    assert!(!first.iter().any(|object| kept(&repo, object).exists()));
    let listed = fs::read_to_string(repo.dir.join(".git/postil/kept.list")).unwrap();
    let ids: BTreeSet<&str> = listed.lines().collect();
    assert!(ids.iter().all(|id| repo.dir.join(".git/objects").join(&id[..2]).join(&id[2..]).is_file()));
    assert_eq!(repo.record_ids(), said);
}

#[test]
fn what_nothing_leads_to_stays_removed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let home = Home::On(ObjectId::from(repo.commit_id("HEAD")));
    let before = loose(&repo);
    let draft = Draft { review: None, home, record: comment("never mind"), pins: Vec::new() };
    repo.store().add_drafts(std::slice::from_ref(&draft), &by_alice()).unwrap();
    let new: Vec<PathBuf> = loose(&repo).difference(&before).cloned().collect();
    repo.store().drop_drafts(&[draft.record.id()], &by_alice()).unwrap();
    repo.git(&["prune", "--expire=now"]);
    write(&repo.store(), home.object(), "something else");
    repo.store().check(&by_alice()).unwrap();
    assert!(!new.iter().any(|object| object.exists()), "a deleted draft does not come back");
}
