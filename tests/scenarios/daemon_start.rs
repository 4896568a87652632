//! The daemon starts when it is needed, once, and makes room when it is old.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Instant;

use postil_protocol::{Client, Hello};
use postil_testkit::wait_until;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::World;

#[test]
fn fifty_clients_at_once_start_one_daemon() {
    let world = World::new();
    let _served = Served(&world);
    let mut command = world.command(POSTIL);
    command.args(["daemon", "start"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let clients: Vec<_> = (0..50).map(|_| command.spawn().expect("postil starts")).collect();
    let mut told: Vec<String> = clients
        .into_iter()
        .map(|client| {
            let output = client.wait_with_output().expect("a child can be waited for");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        })
        .collect();
    told.dedup();
    let [told] = &told[..] else { panic!("several daemons: {told:?}") };
    let pid = world.daemon().expect("it runs").as_raw_nonzero();
    assert!(told.contains(&format!("process {pid},")), "{told}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_keeps_nothing_open_that_was_its_starters() {
    let world = World::new();
    let _served = Served(&world);
    let kept = world.people().join("kept");
    let mut command = world.command("bash");
    command.args(["-c", "exec 9>\"$1\"; \"$2\" daemon start", "bash"]).arg(&kept).arg(POSTIL);
    Finished::run(&mut command).code(0);
    let pid = world.daemon().expect("it runs").as_raw_nonzero();
    let open = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs");
    let open: Vec<_> = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()).collect();
    assert!(!open.is_empty() && !open.contains(&kept), "{open:?}");
}

#[test]
fn a_command_starts_the_daemon_and_later_ones_find_it() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.rs", "fn a() {}\n");
    alice.commit("first");
    assert_eq!(
        alice.served("daemon status --json").code(1).stdout(),
        "{\"version\":1,\"running\":false,\"pid\":null,\"daemon\":null}\n"
    );
    alice.served("comment a.rs:1 -m 'a secret remark'").code(0);
    let pid = world.daemon().expect("the comment started it");
    let status = alice.served("--json daemon status").code(0).stdout();
    assert!(status.contains(&format!("\"running\":true,\"pid\":{}", pid.as_raw_nonzero())), "{status}");
    assert!(alice.served("list").code(0).stdout().contains("a secret remark"));
    assert_eq!(world.daemon(), Some(pid));

    let socket = fs::metadata(world.socket()).expect("the socket is there");
    assert_eq!(socket.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(world.runtime().join("postil")).expect("so is its folder").mode() & 0o777, 0o700);

    assert!(alice.served("daemon stop").code(0).stdout().contains("stopped the daemon"));
    assert!(!world.socket().exists());
    assert!(alice.served("daemon stop").code(0).stdout().contains("the daemon is not running"));
    let logs = alice.served("daemon logs").code(0).stdout();
    assert!(logs.contains("ready") && logs.contains("stopped"), "{logs}");
    assert!(!logs.contains("secret"), "{logs}");
}

#[test]
fn without_a_socket_commands_answer_all_the_same() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.rs", "fn a() {}\n");
    alice.commit("first");
    alice.postil("comment a.rs:1 -m remark").code(0);
    let long = world.tmp().join("x".repeat(120));
    let open = world.tmp().join("open");
    let link = world.tmp().join("link");
    fs::create_dir(&open).expect("a folder can be made");
    symlink(&open, &link).expect("a link can be made");
    for (place, refusal, way_out) in [
        (&long, "is too long for a socket", "set POSTIL_RUNTIME_DIR to a directory with a shorter path"),
        (&open, "is open to other users", "chmod 700"),
        (&link, "is not a directory", "remove it"),
    ] {
        let run = |line| Finished::run(alice.served_command(line).env("POSTIL_RUNTIME_DIR", place));
        assert!(run("list").code(0).stdout().contains("remark"));
        let told = run("daemon start").code(5).stderr();
        assert!(told.contains(refusal) && told.contains(way_out), "{told}");
    }
}

#[test]
fn a_client_that_is_one_too_many_is_told_and_commands_do_without() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.rs", "fn a() {}\n");
    alice.commit("first");
    alice.served("comment a.rs:1 -m remark").code(0);
    let hello = Hello::new("test", env!("CARGO_PKG_VERSION"));
    let deadline = Instant::now() + TEN_SECONDS;
    let mut others = Vec::new();
    // The command above may be counted for a moment longer.
    while others.len() < 256 {
        assert!(Instant::now() < deadline, "only {} are let in", others.len());
        let stream = UnixStream::connect(world.socket()).expect("it listens");
        others.extend(Client::connect(stream, &hello).ok());
    }
    for _ in 0..20 {
        let told = alice.served("daemon status").code(5).stderr();
        assert!(told.contains("too many clients are connected"), "{told}");
    }
    let told = alice.served("watch").code(5).stderr();
    assert!(told.contains("too many clients") && told.contains("close its clients"), "{told}");
    assert!(alice.served("list --all").code(0).stdout().contains("remark"));
    drop(others);
    let deadline = Instant::now() + TEN_SECONDS;
    while alice.served("daemon status").exit() != Some(0) {
        assert!(Instant::now() < deadline, "those who went are still counted");
    }
}

#[test]
fn an_older_daemon_makes_room_for_a_newer_client() {
    let world = World::new();
    let _served = Served(&world);
    world.postil("daemon start").code(0);
    let old = world.daemon().expect("it runs");
    let mut newer = UnixStream::connect(world.socket()).expect("it listens");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"postil","version":"99.0.0"}}"#;
    writeln!(newer, "{hello}").expect("it reads");
    let mut answer = String::new();
    BufReader::new(newer).read_line(&mut answer).expect("it answers");
    assert!(
        answer.contains("\"name\":\"version\"")
            && answer.contains("\"reason\":\"makes-room\"")
            && answer.contains("postil 99.0.0"),
        "{answer}"
    );
    wait_until("the older daemon ends", || !world.socket().exists());
    // Whoever comes next waits for its end, and starts another one.
    world.postil("daemon start").code(0);
    assert_ne!(world.daemon(), Some(old));
}

#[test]
fn a_daemon_whose_socket_is_taken_away_ends() {
    let world = World::new();
    let _served = Served(&world);
    world.postil("daemon start").code(0);
    let first = world.daemon().expect("it runs");
    fs::remove_dir_all(world.runtime().join("postil")).expect("a folder can be removed");
    wait_until("the daemon ends", || rustix::process::test_kill_process(first).is_err());
}
