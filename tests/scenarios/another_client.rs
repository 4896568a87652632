//! A client that is not the command line: the example of `postil_client`, with a daemon and without.
//!
//! It runs in a process of its own, which is this very test started again: cargo builds no examples for scenarios.

#[path = "../../client/examples/hello.rs"]
mod hello;

use std::process::Command;

use crate::signing::team;
use crate::support::finished::Finished;
use crate::support::postil::folder_of_git_postil;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Set in the process that is the client.
const AS_CLIENT: &str = "POSTIL_TEST_AS_CLIENT";

/// The test that becomes the client.
const NAME: &str = "another_client::another_client_lists_comments_and_receives_the_event";

fn client(person: &Checkout<'_>, daemon: &str) -> Finished {
    let own = folder_of_git_postil().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(own).chain(std::env::split_paths(&path));
    let mut command: Command = person.command(std::env::current_exe().expect("a test knows its file"));
    command
        .args(["--exact", NAME, "--nocapture", "--quiet"])
        .env(AS_CLIENT, "1")
        .env("PATH", std::env::join_paths(path).expect("no folder has a colon in its name"))
        .env("POSTIL_DAEMON", daemon);
    Finished::run(&mut command)
}

#[test]
fn another_client_lists_comments_and_receives_the_event() {
    if std::env::var_os(AS_CLIENT).is_some() {
        return hello::main().expect("the example works");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.served("comment a.txt:2 -m 'why two?'").code(0);
    for daemon in ["on", "off"] {
        let told = client(&alice, daemon).code(0).stdout();
        assert!(told.contains(r#"Anchored at Some("a.txt"):Some(2): why two?"#), "{told}");
        let (_, edited) = told.split_once("while a.txt is being edited:").expect("an unsaved text");
        assert!(edited.contains(r#"Anchored at Some("a.txt"):Some(3): why two?"#), "{told}");
        assert!(told.contains("\nwrote ") && told.contains("\napplied: \"hello\"\ntook back: "), "{told}");
        assert!(told.contains("Suggested by alice, which was us"), "{told}");
        assert_eq!(
            std::fs::read_to_string(alice.folder.join("a.txt")).unwrap(),
            "one\ntwo\n",
            "nothing is left of it"
        );
    }
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:1  suggestion applies  alice: hello from another client"), "{listed}");
}

#[test]
fn another_client_starts_the_daemon_and_signs() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    let _served = Served(&world);
    let told = client(&alice, "on").code(0).stdout();
    assert!(told.contains("0 threads\nwrote ") || told.contains("which was us"), "{told}");
    assert!(world.daemon().is_some(), "it runs");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("signed  suggestion applies  alice: hello from another client"), "{listed}");
}
