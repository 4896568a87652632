//! The demo runs anywhere, for anybody, and leaves nothing behind.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::World;

/// The demo for somebody without a home, an identity or a repository.
fn demo(world: &World) -> Command {
    let mut command = world.command(POSTIL);
    command.arg("demo").env_remove("HOME").env_remove("XDG_RUNTIME_DIR");
    command
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("the world has this folder").next().is_none()
}

#[test]
fn the_demo_needs_no_home_and_no_identity_and_leaves_nothing() {
    let world = World::new();
    let played = Finished::run(&mut demo(&world));
    assert!(played.code(0).stdout().ends_with("All temporary files are removed.\n"), "{}", played.stdout());
    assert_eq!(played.stderr(), "");
    assert!(is_empty(&world.tmp()), "nothing where temporary files are");
    assert!(is_empty(&world.people()), "nothing where it was started");
}

#[test]
fn the_demo_ends_every_process_it_started() {
    if !Path::new("/proc/self/environ").exists() {
        return skipped("/proc, which lists the environments of processes");
    }
    let world = World::new();
    Finished::run(&mut demo(&world)).code(0);
    let tmp = world.tmp();
    let mark = tmp.to_str().expect("a plain path").as_bytes();
    let left: Vec<_> = fs::read_dir("/proc")
        .expect("it exists")
        .filter_map(Result::ok)
        // Other people's processes cannot be read, and are not the demo's.
        .filter_map(|process| Some((process.path(), fs::read(process.path().join("environ")).ok()?)))
        .filter(|(_, environ)| environ.windows(mark.len()).any(|window| window == mark))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Puts a git on the PATH that does nothing but this.
fn with_git(world: &World, script: &str) -> Finished {
    let folder = world.people().join("bin");
    fs::create_dir(&folder).expect("the world is empty");
    let git = folder.join("git");
    fs::write(&git, format!("#!/bin/sh\n{script}\n")).expect("a file can be written");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("a file of ours");
    Finished::run(demo(world).env("PATH", &folder))
}

#[test]
fn a_claim_that_does_not_hold_ends_the_demo_with_exit_code_1() {
    let world = World::new();
    let failed = with_git(&world, "exit 0");
    assert!(failed.code(1).stderr().starts_with("error: a check of the demo failed: the author"));
    assert!(is_empty(&world.tmp()));
}

#[test]
fn a_git_that_fails_is_quoted() {
    let world = World::new();
    let failed = with_git(&world, "echo 'fatal: no more ink' >&2; exit 128");
    let told = "error: `git init --quiet` failed in the demo\n  because: fatal: no more ink\n";
    assert_eq!(failed.code(1).stderr(), told);
    assert!(is_empty(&world.tmp()));
}

#[test]
fn an_interrupted_demo_leaves_nothing_either() {
    let world = World::new();
    // What Ctrl-C does, to the process that runs this git.
    let interrupted = with_git(&world, "kill -INT $PPID");
    assert_eq!(interrupted.code(130).stderr(), "error: the demo was interrupted\n");
    assert!(is_empty(&world.tmp()));
}

#[test]
fn a_reader_who_leaves_early_hears_no_complaint() {
    let world = World::new();
    let mut child =
        demo(&world).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the demo can be started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("a child can be waited for");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    assert!(is_empty(&world.tmp()));
}

#[test]
fn without_git_the_demo_says_what_is_missing() {
    let world = World::new();
    let refused = Finished::run(demo(&world).env("PATH", world.people()));
    assert!(refused.code(5).stderr().starts_with("error: the demo could not start git\n  because: "));
    assert!(is_empty(&world.tmp()));
}
