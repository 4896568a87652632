//! Remotes that refuse, hang or lie: each has its answer, and nothing is lost.

use std::io::Read as _;
use std::net::TcpListener;
use std::time::Duration;

use postil_core::sync::{ExchangeDirection, SyncError, TransportError};

use super::team::{LIMIT, Team};

#[test]
fn a_remote_that_rejects_notes_is_named_and_what_it_has_comes_all_the_same() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("alice").say("HEAD", "first");
    team.sync("alice").unwrap();
    team.hook("remote.git", "hooks/update", "case $1 in refs/notes/*) echo no notes here >&2; exit 1;; esac");
    let bob = team.clone_of("bob");
    bob.say("HEAD", "second");
    let refused = team.sync("bob").unwrap_err();
    let SyncError::Transport(TransportError::Refused { remote, said }) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!((remote.as_str(), said.as_str()), ("origin", "hook declined (no notes here)"));
    assert_eq!(bob.record_ids().len(), 2, "alice's came before the refusal");
    bob.commit("file.txt", "changed\n");
    bob.git(&["push", "-q", "origin", "HEAD"]);
}

#[test]
fn of_several_push_addresses_one_that_refuses_or_is_gone_is_told() {
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    team.sandbox.git(&["clone", "-q", "--bare", "seed", "other.git"]);
    alice.git(&["remote", "set-url", "--push", "origin", "../remote.git"]);
    alice.git(&["remote", "set-url", "--push", "--add", "origin", "../other.git"]);
    team.hook("other.git", "hooks/pre-receive", "exit 1");
    alice.say("HEAD", "first");
    let refused = team.sync("alice").unwrap_err().to_string();
    assert_eq!(refused, "origin rejected the reviews: pre-receive hook declined");
    std::fs::remove_dir_all(team.sandbox.at("other.git").dir).unwrap();
    alice.say("HEAD", "second");
    let gone = team.sync("alice").unwrap_err().to_string();
    assert!(gone.starts_with("could not push to origin: "), "{gone}");
}

#[test]
fn a_remote_that_is_not_there_is_an_error_that_says_so() {
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    alice.say("HEAD", "first");
    alice.git(&["remote", "set-url", "origin", "../nowhere.git"]);
    let error = team.sync("alice").unwrap_err().to_string();
    assert!(error.starts_with("could not fetch from origin: "), "{error}");
    assert_eq!(alice.record_ids().len(), 1);
}

#[test]
fn a_password_in_an_address_is_not_told() {
    let team = Team::of(&["alice"]);
    let address = "http://ann:secret@127.0.0.1:1/remote.git";
    let error = team.sync_with("alice", address, ExchangeDirection::Both, LIMIT).unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(told.contains("http://ann@127.0.0.1:1/remote.git") && !told.contains("secret"), "{told}");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let team = Team::of(&["alice"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("git://{}/remote.git", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // Says nothing until the other side gives up.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let limit = Duration::from_millis(300);
    let error = team.sync_with("alice", &address, ExchangeDirection::Both, limit).unwrap_err();
    assert!(matches!(error, SyncError::Transport(TransportError::TimedOut { .. })), "{error:?}");
    server.join().unwrap();
}

#[test]
fn a_server_that_hangs_up_is_an_error() {
    let team = Team::of(&["alice"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("git://{}/remote.git", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let error = team.sync_with("alice", &address, ExchangeDirection::Both, LIMIT).unwrap_err();
    assert!(matches!(error, SyncError::Transport(TransportError::Fetch { .. })), "{error:?}");
    server.join().unwrap();
}

#[test]
fn a_name_that_git_would_take_for_an_option_is_no_remote() {
    assert!(postil_core::sync::Remote::named("--upload-pack=touch evil").is_err());
}
