//! Every way that git reaches a remote.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use postil_core::sync::{ExchangeDirection, Sent, SyncError, TransportError};
use postil_testkit::skipped;

use super::team::{LIMIT, Server, Team};

#[test]
fn reviews_travel_by_path_and_by_file_address() {
    let team = Team::of(&["alice"]);
    let path = team.remote().dir.display().to_string();
    let alice = team.clone_of("alice");
    for (n, address) in [path.clone(), format!("file://{path}")].iter().enumerate() {
        alice.say("HEAD", &format!("comment {n}"));
        let synced = team.sync_with("alice", address, ExchangeDirection::Both, LIMIT).unwrap();
        assert_eq!(synced.sent, Sent::All, "{address}");
    }
    assert_eq!(team.remote().record_ids().len(), 2);
}

#[test]
fn a_remote_that_is_a_path_from_the_work_tree_is_found_from_anywhere() {
    // This process is somewhere else, as a command in a folder below and the daemon are.
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    alice.git(&["remote", "set-url", "origin", "../remote.git"]);
    alice.say("HEAD", "found");
    assert_eq!(team.sync("alice").unwrap().sent, Sent::All);
}

#[test]
fn what_stands_where_pushes_go_and_fetches_do_not_come_from_is_merged_too() {
    let team = Team::of(&["alice", "bob", "carol"]);
    for fork in ["fork.git", "second.git"] {
        team.sandbox.git(&["clone", "-q", "--bare", "seed", fork]);
    }
    team.clone_of("bob").say("HEAD", "at the first fork");
    team.sync_with("bob", "../fork.git", ExchangeDirection::Both, LIMIT).unwrap();
    team.clone_of("carol").say("HEAD", "at the second fork");
    team.sync_with("carol", "../second.git", ExchangeDirection::Both, LIMIT).unwrap();
    let alice = team.clone_of("alice");
    alice.git(&["remote", "set-url", "--push", "origin", "../fork.git"]);
    alice.git(&["remote", "set-url", "--push", "--add", "origin", "../second.git"]);
    alice.say("HEAD", "from alice");
    let synced = team.sync("alice").unwrap();
    assert_eq!((synced.came.comments, synced.sent, synced.tries), (2, Sent::All, 3));
    for fork in ["fork.git", "second.git"] {
        assert_eq!(team.notes_tree(fork), team.notes_tree("alice"));
    }
    let again = team.sync("alice").unwrap();
    assert_eq!((again.came.total(), again.went.total(), again.sent), (0, 0, Sent::Nothing));
    assert!(!team.remote().try_git(&["rev-parse", "-q", "--verify", "refs/notes/reviews"]).status.success());
}

#[test]
fn a_remote_that_is_a_mirror_gets_reviews_and_nothing_else() {
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    alice.git(&["config", "remote.origin.mirror", "true"]);
    alice.git(&["branch", "private"]);
    alice.say("HEAD", "first");
    assert_eq!(team.sync("alice").unwrap().sent, Sent::All);
    let refs = team.remote().git(&["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, "refs/heads/main\nrefs/notes/reviews");
}

#[test]
fn reviews_travel_by_git_daemon() {
    let team = Team::of(&["alice", "bob"]);
    let Some((_server, port)) = git_daemon(&team, &["--enable=receive-pack"]) else {
        skipped("git has no daemon here");
        return;
    };
    let address = format!("git://127.0.0.1:{port}/remote.git");
    team.clone_of("alice").say("HEAD", "over the wire");
    let sent = team.sync_with("alice", &address, ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(sent.went.comments, 1);
    let came = team.sync_with("bob", &address, ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(came.came.comments, 1);
}

#[test]
fn a_read_only_remote_gives_and_takes_nothing() {
    let team = Team::of(&["alice", "bob"]);
    let Some((_server, port)) = git_daemon(&team, &[]) else {
        skipped("git has no daemon here");
        return;
    };
    team.clone_of("alice").say("HEAD", "first");
    team.sync("alice").unwrap();
    let bob = team.clone_of("bob");
    bob.say("HEAD", "second");
    let address = format!("git://127.0.0.1:{port}/remote.git");
    let error = team.sync_with("bob", &address, ExchangeDirection::Both, LIMIT).unwrap_err();
    assert!(matches!(error, SyncError::Transport(TransportError::Push { .. })), "{error:?}");
    assert_eq!(bob.record_ids().len(), 2, "what it has came all the same");
}

/// Starts git's own daemon for all repositories of the team, and waits until it listens.
fn git_daemon(team: &Team, options: &[&str]) -> Option<(Server, u16)> {
    let exec_path = team.sandbox.git(&["--exec-path"]);
    let program = std::path::Path::new(&exec_path).join("git-daemon");
    if !program.exists() {
        return None;
    }
    // The port is free now, and chances are that it still is in a moment.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(program);
    command
        .args(["--verbose", "--export-all", "--reuseaddr", "--listen=127.0.0.1"])
        .args(options)
        .arg(format!("--port={port}"))
        .arg(format!("--base-path={}", team.sandbox.path().display()))
        .arg(team.sandbox.path())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    let server = Server(server);
    let mut line = String::new();
    while !line.contains("Ready to rumble") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "git daemon ended");
    }
    // What it says later must have somewhere to go.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    Some((server, port))
}
