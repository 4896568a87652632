//! The daemon attends to a repository that stock git works in.

use rustix::process::Signal;

use crate::support::world::World;

#[test]
fn the_daemon_notices_every_move_of_the_notes_and_ends_on_sigterm() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.commit("first");
    let mut daemon = alice.start_postil("daemon run");
    daemon.until("watching");

    // The first note: refs/notes does not exist yet.
    alice.git("notes --ref=reviews add -m first HEAD");
    let first = alice.git("rev-parse refs/notes/reviews");
    assert!(daemon.until("notes moved").contains(&format!("to=\"{first}\"")));

    // Packing moves the ref to another file, but not to another commit; the next line is about the append.
    alice.git("pack-refs --all");
    alice.git("notes --ref=reviews append -m second HEAD");
    let second = alice.git("rev-parse refs/notes/reviews");
    let moved = daemon.until("notes moved");
    assert!(moved.contains(&format!("from=\"{first}\" to=\"{second}\"")), "{moved}");

    alice.git("update-ref -d refs/notes/reviews");
    daemon.until("restored records that another program removed");
    assert_eq!(alice.git("rev-parse refs/notes/reviews"), second);

    assert!(daemon.end(Signal::TERM).success());
}

#[test]
fn the_daemon_serves_a_linked_work_tree_and_ends_on_ctrl_c() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.commit("first");
    alice.git("worktree add --quiet ../linked");
    let mut daemon = alice.start_postil("-C ../linked daemon run");
    daemon.until("watching");
    alice.git("notes --ref=reviews add -m first HEAD");
    daemon.until("notes moved");
    assert!(daemon.end(Signal::INT).success());
}

#[test]
fn a_daemon_whose_repository_is_deleted_forgets_it_and_goes_on() {
    let world = World::new();
    let (alice, bob) = (world.repository("alice"), world.repository("bob"));
    bob.commit("first");
    let mut daemon = alice.start_postil("daemon run");
    daemon.until("watching");
    std::fs::remove_dir_all(&alice.folder).expect("a repository can be deleted");
    daemon.until("no longer watching it");
    let status = world.postil("daemon status --json").code(0).stdout();
    assert!(status.contains("\"repositories\":[]"), "{status}");
    assert!(daemon.end(Signal::TERM).success());
}

#[test]
fn a_second_daemon_finds_the_first() {
    let world = World::new();
    let mut daemon = world.start_postil("daemon run");
    daemon.until("ready");
    let second = world.postil("daemon run");
    assert!(second.code(4).stderr().contains("a daemon is already running (process "), "{}", second.stderr());
    assert!(world.postil("daemon start").code(0).stdout().starts_with("the daemon is running: process "));
    assert!(daemon.end(Signal::INT).success());
    world.postil("daemon status").code(1);
}
