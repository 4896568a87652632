//! Whatever git does to a repository, the daemon has a defined answer, and the same as a command without it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use postil_protocol::{List, RepositoryRequest};
use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Somebody who is neither the system's own user nor the owner of anything.
const NOBODY: u32 = 65_534;

fn commented(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.served("comment a.txt:3 -m 'why three?'").code(0);
    alice
}

/// With and without the daemon, the same comes out, and it is this.
#[track_caller]
fn both_list(alice: &Checkout<'_>, expected: &str) {
    let (with, without) = (alice.served("list"), alice.postil("list"));
    assert!(with.code(0).stdout().contains(expected), "{}{}", with.stdout(), with.stderr());
    assert_eq!((with.stdout(), with.stderr()), (without.code(0).stdout(), without.stderr()));
}

#[test]
fn a_setting_of_the_user_counts_in_the_next_answer_wherever_it_is() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let pid = world.daemon();
    alice.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    let differs = || {
        let listed = alice.served("--json list");
        assert_eq!(listed.code(0).stdout(), alice.postil("--json list").stdout());
        listed.stdout().contains(r#""uncommitted":true"#)
    };
    assert!(differs(), "the ends of lines are others");
    alice.git("config --global core.autocrlf input");
    assert!(!differs(), "with this, git does not tell the two apart");
    alice.git("config --global --unset core.autocrlf");
    assert!(differs());
    alice.git("config --global include.path more");
    assert!(differs(), "what is included is not there yet");
    let more = world.home().join("more");
    fs::write(&more, "[core]\n\tautocrlf = input\n").expect("settings can be written");
    assert!(!differs());
    fs::write(&more, "").expect("settings can be written");
    assert!(differs());
    assert_eq!(world.daemon(), pid, "the same daemon answered all this");
}

#[test]
fn collecting_repacking_and_packing_refs_change_no_answer() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let pid = world.daemon();
    for (n, housekeeping) in [
        "pack-refs --all",
        "repack -a -d -q",
        "gc --quiet --prune=now",
        "maintenance run --quiet",
        "prune-packed",
    ]
    .iter()
    .enumerate()
    {
        alice.write("a.txt", format!("{}one\ntwo\nthree\n", "new\n".repeat(n + 1)));
        alice.commit("more");
        alice.git(housekeeping);
        both_list(&alice, &format!("a.txt:{}  alice: why three?", n + 4));
        alice.served(&format!("comment a.txt:1 -m 'after {n}'")).code(0);
        both_list(&alice, &format!("after {n}"));
    }
    assert_eq!(world.daemon(), pid, "the same daemon did all this");
}

#[test]
fn a_repository_that_is_deleted_and_cloned_anew_is_another_one() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let other = world.repository("other");
    other.write("b.txt", "four\n");
    other.commit("first");
    other.postil("comment b.txt:1 -m 'why four?'").code(0);
    fs::remove_dir_all(&alice.folder).expect("a repository can be deleted");
    let again = world.clone_of(&other, "alice");
    again.git("fetch --quiet origin refs/notes/reviews:refs/notes/reviews");
    both_list(&again, "why four?");
    let listed = again.served("list --all").stdout();
    assert!(!listed.contains("why three?"), "{listed}");
}

#[test]
fn a_repository_that_moved_is_found_again() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let elsewhere = world.people().join("elsewhere");
    fs::rename(&alice.folder, &elsewhere).expect("a repository can be moved");
    let listed = Finished::run(
        world.command(POSTIL).arg("-C").arg(&elsewhere).arg("list").env("GIT_AUTHOR_NAME", "alice"),
    );
    assert!(listed.code(0).stdout().contains("why three?"), "{}", listed.stdout());
}

#[test]
fn a_repository_of_somebody_else_is_refused_by_name() {
    if !rustix::process::geteuid().is_root() {
        return skipped("the right to give files away");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    give(&alice.folder.join(".git"), NOBODY);
    give(&alice.folder, NOBODY);
    for finished in [alice.served("list"), alice.postil("list")] {
        let told = finished.code(5).stderr();
        assert!(told.contains("safe.directory") || told.contains("owned"), "{told}");
    }
    // Who asks the daemon itself is refused as well, and it watches nothing of it.
    let (mut client, list) = (world.client(), List::default());
    let asked = RepositoryRequest {
        repository: alice.name(),
        author: None,
        at: None,
        via: None,
        utc_offset: 0,
        buffers: Vec::new(),
        params: list,
    };
    assert!(client.ask(&asked).is_err());
    let status = world.postil("daemon status --json").code(0).stdout();
    assert!(status.contains("\"repositories\":[]"), "{status}");
}

#[test]
fn a_repository_that_cannot_be_written_is_read() {
    if !rustix::process::geteuid().is_root() {
        return skipped("the right to run as somebody else");
    }
    let world = World::new();
    let alice = commented(&world);
    // The daemon of the system's own user can write everywhere; from here on everything is nobody's.
    world.postil("daemon stop").code(0);
    give(&world.tmp().join(".."), NOBODY);
    let reachable = Finished::run(alice.served_command("--version").uid(NOBODY).gid(NOBODY));
    if !reachable.stdout().starts_with("postil") {
        return skipped("a binary that others can run");
    }
    lock(&alice.folder.join(".git"));
    let run = |line: &str| Finished::run(alice.served_command(line).uid(NOBODY).gid(NOBODY));
    let listed = run("list");
    assert!(listed.code(0).stdout().contains("why three?"), "{}", listed.stdout());
    let refused = run("comment a.txt:1 -m more");
    refused.code(5);
    let status = run("--json daemon status").code(0).stdout();
    assert!(status.contains("\"running\":true"), "{status}");
    run("daemon stop").code(0);
    unlock(&alice.folder.join(".git"));
}

#[test]
fn a_broken_object_is_named_and_the_rest_is_answered() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    alice.write("a.txt", "zero\none\ntwo\nthree\n");
    alice.commit("second");
    // The file as it is now: nobody can say what is in it.
    let blob = alice.git("rev-parse HEAD:a.txt");
    let file = alice.folder.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a file can be opened up");
    fs::write(&file, b"rubbish").expect("a file can be broken");
    let (with, without) = (alice.served("list"), alice.postil("list"));
    assert_eq!((with.stdout(), with.stderr()), (without.stdout(), without.stderr()));
    // The daemon goes on, with other repositories and with this one.
    let bob = world.repository("bob");
    bob.write("b.txt", "one\n");
    bob.commit("first");
    bob.served("comment b.txt:1 -m fine").code(0);
    both_list(&bob, "fine");
}

fn give(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user))
        .expect("the system's own user may give files away");
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("a folder can be read") {
            give(&entry.expect("an entry can be read").path(), user);
        }
    }
}

fn lock(path: &Path) {
    walk(path, 0o555, 0o444);
}

fn unlock(path: &Path) {
    walk(path, 0o755, 0o644);
}

fn walk(path: &Path, folder: u32, file: u32) {
    let is_folder = path.is_dir();
    let mode = if is_folder { folder } else { file };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions can be set");
    if is_folder {
        for entry in fs::read_dir(path).expect("a folder can be read") {
            walk(&entry.expect("an entry can be read").path(), folder, file);
        }
    }
}
