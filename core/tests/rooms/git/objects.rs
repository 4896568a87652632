//! Objects are on disk before a ref leads to them, and git finds nothing wrong with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gix::objs::{Kind, Write as _};
use postil_core::git::{
    CommitId, Durability, ObjectId, PACK_FROM, RefName, RefUpdate, Repository, WriterLock,
};
use postil_testkit::{Checkout, Sandbox, committer, log, patient};

const NOTES: &str = "refs/notes/reviews";

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_001)
}

/// A commit in memory whose tree has `files` below `dir/`.
fn commit(handle: &gix::Repository, parents: &[CommitId], files: &[(String, String)]) -> CommitId {
    let base = match parents.first() {
        Some(parent) => handle.find_commit(parent.raw()).unwrap().tree_id().unwrap().detach(),
        None => handle.empty_tree().id,
    };
    let mut editor = handle.edit_tree(base).unwrap();
    for (name, content) in files {
        let blob = handle.objects.write_buf(Kind::Blob, content.as_bytes()).unwrap();
        editor.upsert(format!("dir/{name}"), gix::objs::tree::EntryKind::Blob, blob).unwrap();
    }
    let tree = editor.write().unwrap();
    let parents = parents.iter().map(|parent| parent.raw());
    CommitId::from(handle.new_commit_as(committer(), committer(), "notes", tree, parents).unwrap().id)
}

fn files(count: usize, label: &str) -> Vec<(String, String)> {
    (0..count).map(|n| (format!("{label}{n}"), format!("{label} {n}\n"))).collect()
}

/// Settles `commits`, moves the notes ref to the last, and lets go of the pack.
fn publish(repo: &Repository, handle: &gix::Repository, commits: &[CommitId]) -> Vec<ObjectId> {
    let mut writer = WriterLock::acquire(repo, patient()).unwrap();
    let stored = writer.store_objects(handle, commits, now()).unwrap();
    assert!(stored.absent.is_empty() && stored.damage.is_empty());
    let objects = stored.objects.clone();
    let name = RefName::new(NOTES).unwrap();
    let update = RefUpdate {
        name: &name,
        expected: repo.read_ref(&name).unwrap(),
        new: commits.last().map(|id| ObjectId::from(*id)),
        log: log("postil: test"),
        durability: Durability::Synced,
        patience: patient(),
    };
    writer.swap(&update).unwrap();
    stored.release(&mut writer).unwrap();
    assert!(repo.vanished(&objects).unwrap().is_empty());
    objects
}

fn packs(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("objects/pack")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn loose_path(dir: &Path, id: &str) -> PathBuf {
    dir.join("objects").join(&id[..2]).join(&id[2..])
}

fn assert_sound(checkout: &Checkout<'_>) {
    checkout.git(&["fsck", "--strict", "--full"]);
    let counted = checkout.git(&["count-objects", "-v"]);
    assert!(counted.contains("garbage: 0"), "{counted}");
}

#[test]
fn few_objects_are_loose_and_many_are_one_pack() {
    let sandbox = Sandbox::new();
    for (dir, args) in [("sha1", &[][..]), ("sha256", &["--object-format=sha256"])] {
        let checkout = sandbox.init(dir, args);
        checkout.commit("file", "content\n");
        let repo = checkout.open();
        let handle = repo.stage().unwrap();

        let one = commit(&handle, &[], &files(3, "few"));
        let brought = publish(&repo, &handle, &[one]);
        assert_eq!(brought.len(), 3 + 3, "three blobs, two trees and the commit");
        assert!(packs(repo.common_dir()).is_empty());
        for id in brought {
            assert!(loose_path(repo.common_dir(), &id.to_string()).exists());
        }
        assert_sound(&checkout);

        let two = commit(&handle, &[one], &files(PACK_FROM, "many"));
        let brought = publish(&repo, &handle, &[two]);
        assert_eq!(brought.len(), PACK_FROM + 3);
        let extensions: Vec<String> = packs(repo.common_dir())
            .iter()
            .map(|path| path.extension().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(extensions, ["idx", "pack"], "the keep file is gone");
        assert_eq!(checkout.git(&["cat-file", "-p", &format!("{two}:dir/many7")]), "many 7");
        assert_sound(&checkout);
        checkout.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(checkout.git(&["rev-list", "--count", NOTES]), "2");
        assert_sound(&checkout);
    }
}

#[test]
fn several_commits_are_settled_together_and_nothing_else_is() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let stray = handle.write_blob(b"in memory, and in no commit").unwrap().detach();
    let one = commit(&handle, &[], &files(2, "a"));
    let left = commit(&handle, &[one], &files(1, "left"));
    let right = commit(&handle, &[one], &files(1, "right"));
    let both: Vec<_> = [files(1, "left"), files(1, "right")].concat();
    let merge = commit(&handle, &[left, right], &both);
    let brought: BTreeSet<ObjectId> =
        publish(&repo, &handle, &[one, left, right, merge]).into_iter().collect();
    let listed = checkout.git(&["rev-list", "--objects", "--no-object-names", NOTES]);
    let expected: BTreeSet<ObjectId> =
        listed.lines().map(|hex| ObjectId::from_hex(hex.as_bytes()).unwrap()).collect();
    assert_eq!(brought, expected);
    assert!(!loose_path(repo.common_dir(), &stray.to_string()).exists());
    assert_sound(&checkout);
}

#[test]
fn objects_that_git_left_are_found_and_made_new() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let found = String::from_utf8(checkout.git_with(&["hash-object", "-w", "--stdin"], b"few 0\n")).unwrap();
    let path = loose_path(repo.common_dir(), found.trim());
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let handle = repo.stage().unwrap();
    let one = commit(&handle, &[], &files(2, "few"));
    let brought = publish(&repo, &handle, &[one]);
    assert!(brought.contains(&ObjectId::from_hex(found.trim().as_bytes()).unwrap()));
    let after = fs::metadata(&path).unwrap().modified().unwrap();
    assert_ne!(before, after);
    assert_eq!(after, now(), "`git prune` goes by this time");
}

#[test]
fn what_gc_removed_under_a_living_handle_is_written_again() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let content = "few 0\n";
    let blob =
        String::from_utf8(checkout.git_with(&["hash-object", "-w", "--stdin"], content.as_bytes())).unwrap();
    checkout.git(&["update-ref", "refs/tags/blob", blob.trim()]);
    checkout.git(&["gc", "-q"]);
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let id = gix::ObjectId::from_hex(blob.trim().as_bytes()).unwrap();
    assert!(handle.has_object(id));

    checkout.git(&["update-ref", "-d", "refs/tags/blob"]);
    checkout.git(&["gc", "-q", "--prune=now"]);
    assert!(!checkout.try_git(&["cat-file", "-e", blob.trim()]).status.success(), "gc removed it");
    assert!(handle.has_object(id), "the handle still has the old pack mapped");
    assert_eq!(repo.vanished(&[id.into()]).unwrap(), [ObjectId::from(id)]);

    let one = commit(&handle, &[], &files(2, "few"));
    publish(&repo, &handle, &[one]);
    assert_eq!(checkout.git(&["cat-file", "-p", &format!("{one}:dir/few0")]), content.trim());
    assert_sound(&checkout);
}

#[test]
fn what_was_unreachable_and_is_in_a_new_pack_too_lasts() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    checkout.git_with(&["hash-object", "-w", "--stdin"], b"many 0\n");
    checkout.git(&["repack", "--cruft", "-d", "-q"]);
    let repo = checkout.open();
    assert!(packs(repo.common_dir()).iter().any(|path| path.extension().unwrap() == "mtimes"));
    let handle = repo.stage().unwrap();
    let many = commit(&handle, &[], &files(PACK_FROM, "many"));
    publish(&repo, &handle, &[many]);
    assert_sound(&checkout);
}

#[test]
fn objects_of_an_alternate_are_there_already() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    let blob = String::from_utf8(origin.git_with(&["hash-object", "-w", "--stdin"], b"few 0\n")).unwrap();
    sandbox.git(&["clone", "-q", "--shared", "origin", "clone"]);
    let clone = sandbox.at("clone");
    let repo = clone.open();
    let handle = repo.stage().unwrap();
    let one = commit(&handle, &[], &files(2, "few"));
    publish(&repo, &handle, &[one]);
    assert!(!loose_path(repo.common_dir(), blob.trim()).exists(), "it is not copied");
    assert_eq!(clone.git(&["cat-file", "-p", &format!("{one}:dir/few0")]), "few 0");
    assert_sound(&clone);
}

#[test]
fn a_blob_that_is_nowhere_is_reported_and_stops_nothing() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let nowhere = gix::ObjectId::from_bytes_or_panic(&[7; 20]);
    let tree = [&b"100644 blob\0"[..], nowhere.as_slice()].concat();
    let tree = handle.objects.write_buf(Kind::Tree, &tree).unwrap();
    let parents: [gix::ObjectId; 0] = [];
    let commit = handle.new_commit_as(committer(), committer(), "pin", tree, parents).unwrap().id;
    let mut writer = WriterLock::acquire(&repo, patient()).unwrap();
    let stored = writer.store_objects(&handle, &[commit.into()], now()).unwrap();
    assert_eq!(stored.absent, [ObjectId::from(nowhere)]);
    stored.release(&mut writer).unwrap();
    checkout.git(&["cat-file", "-e", &format!("{commit}^{{tree}}")]);
}

#[test]
fn a_git_gc_that_does_not_see_the_ref_yet_removes_nothing_that_is_written() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let one = commit(&handle, &[], &files(3, "few"));
    // One of them is there already, as a file that a `git gc` takes away.
    let found = checkout.git_with(&["hash-object", "-w", "--stdin"], b"few 1\n");
    let found = String::from_utf8(found).unwrap();
    fs::write(repo.common_dir().join("gc.pid"), "1 somewhere").unwrap();
    let mut writer = WriterLock::acquire(&repo, patient()).unwrap();
    let stored = writer.store_objects(&handle, &[one], SystemTime::now()).unwrap();
    assert!(stored.is_safe && stored.objects.iter().any(|id| id.to_string() == found.trim()));
    checkout.git(&["repack", "-a", "-d", "-q"]);
    checkout.git(&["prune", "--expire=now"]);
    assert_eq!(repo.vanished(&stored.objects).unwrap(), []);
    // Nobody refers to them after all, and then they may go.
    let objects = stored.objects.clone();
    stored.release(&mut writer).unwrap();
    checkout.git(&["repack", "-a", "-d", "-q"]);
    assert_eq!(repo.vanished(&objects).unwrap(), objects);
}

#[test]
fn the_file_of_a_git_gc_that_died_long_ago_changes_nothing() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let file = repo.common_dir().join("gc.pid");
    assert!(!repo.is_collecting(SystemTime::now()));
    fs::write(&file, "1 somewhere").unwrap();
    assert!(repo.is_collecting(SystemTime::now()));
    assert!(!repo.is_collecting(SystemTime::now() + Duration::from_hours(13)));
}

#[test]
fn a_dead_writers_pack_is_no_longer_kept_from_gc() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let one = commit(&handle, &[], &files(PACK_FROM, "many"));
    let kept =
        |repo: &Repository| packs(repo.common_dir()).iter().any(|path| path.extension().unwrap() == "keep");
    let mut writer = WriterLock::acquire(&repo, patient()).unwrap();
    // As if the process ended here: nothing is released.
    let _ = writer.store_objects(&handle, &[one], now()).unwrap();
    drop(writer);
    assert!(kept(&repo));
    drop(WriterLock::acquire(&repo, patient()).unwrap());
    assert!(!kept(&repo));
}

#[test]
fn objects_of_a_shared_repository_can_be_added_to_by_the_group() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let checkout = sandbox.init("repo", &["--shared=group"]);
    let repo = checkout.open();
    let handle = repo.stage().unwrap();
    let one = commit(&handle, &[], &files(1, "few"));
    let two = commit(&handle, &[one], &files(PACK_FROM, "many"));
    for id in publish(&repo, &handle, &[one]) {
        let path = loose_path(repo.common_dir(), &id.to_string());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o444);
        assert_eq!(mode(path.parent().unwrap()) & 0o2070, 0o2070);
    }
    publish(&repo, &handle, &[two]);
    for path in packs(repo.common_dir()) {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444, "{}", path.display());
    }
}
