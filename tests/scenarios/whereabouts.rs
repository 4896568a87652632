//! Files that are somewhere else than beside their `.git`: with a daemon and without, they are what is commented on.

use std::fs;
use std::path::Path;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World, words};

const LINES: &str = "one\ntwo\nthree\nfour\nfive\n";

/// Runs a line of postil in a folder, with the daemon that may be there or without one.
fn run(alice: &Checkout<'_>, daemon: &str, folder: &Path, variables: &[(&str, &Path)], line: &str) -> String {
    let mut command = alice.command(POSTIL);
    command
        .current_dir(folder)
        .args(words(line))
        .env("POSTIL_DAEMON", daemon)
        .envs(variables.iter().copied());
    Finished::run(&mut command).code(0).stdout()
}

/// Has a line commented that only the files on disk have, and follows it and another one there.
fn check(what: &str, alice: &Checkout<'_>, folder: &Path, variables: &[(&str, &Path)]) {
    for daemon in ["on", "off"] {
        let run = |line: &str| run(alice, daemon, folder, variables, line);
        fs::write(folder.join("a.txt"), format!("{daemon}\n{LINES}")).expect("a file can be written");
        // Two who say the same at the same moment about the same lines say one thing.
        let text = format!("{what}, daemon {daemon}");
        let said = run(&format!("comment a.txt:1 -m '{text}'"));
        let id = said.split(' ').next().expect("the id comes first");
        let shown = run(&format!("show {id}"));
        assert!(shown.contains(&format!(" 1 | {daemon}\n")), "daemon {daemon}: {shown}");
        fs::write(folder.join("a.txt"), format!("more\n{daemon}\n{LINES}")).expect("a file can be written");
        let listed = run("list");
        assert!(listed.contains(&format!("a.txt:2  alice: {text}")), "daemon {daemon}: {listed}");
        run(&format!("withdraw {id}"));
    }
}

#[test]
fn a_git_directory_apart_from_its_files() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.git("init --quiet --separate-git-dir=../apart");
    alice.write("a.txt", LINES);
    alice.commit("first");
    check("apart", &alice, &alice.folder, &[]);
    alice.write("deep/b.txt", "b\n");
    check("apart and named", &alice, &alice.folder, &[("GIT_DIR", &world.people().join("apart"))]);
}

#[test]
fn files_that_the_environment_names() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", LINES);
    alice.commit("first");
    let elsewhere = world.people().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder can be made");
    let git_dir = alice.folder.join(".git");
    check("both named", &alice, &elsewhere, &[("GIT_DIR", &git_dir), ("GIT_WORK_TREE", &elsewhere)]);
    check("the git directory alone", &alice, &elsewhere, &[("GIT_DIR", &git_dir)]);
    check("neither", &alice, &alice.folder, &[]);
    alice.git("config core.worktree ../../elsewhere");
    check("configured", &alice, &elsewhere, &[("GIT_DIR", &git_dir)]);
}

#[test]
fn a_linked_work_tree_that_is_moved_or_made_anew_under_its_old_name() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", LINES);
    alice.commit("first");
    alice.git("branch side");
    let at = |name: &str| world.people().join(name).join("linked");
    for name in ["one", "two", "three"] {
        fs::create_dir(world.people().join(name)).expect("a folder can be made");
    }
    alice.git("worktree add --quiet ../one/linked side");
    check("as made", &alice, &at("one"), &[]);
    alice.git("worktree move ../one/linked ../two/linked");
    check("moved", &alice, &at("two"), &[]);
    alice.git("worktree remove --force ../two/linked");
    alice.git("worktree add --quiet ../three/linked side");
    check("made anew", &alice, &at("three"), &[]);
}
