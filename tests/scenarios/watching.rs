//! Waiting for what others do, from the command line.

use rustix::process::Signal;

use crate::support::running::Running;
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn who_waits_hears_of_a_comment_and_who_waits_too_short_hears_nothing() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.write("b.txt", "one\n");
    alice.commit("first");
    let mut waiting = Running::start(&mut alice.served_command("wait"));
    waiting.until("waiting");
    let mut elsewhere = Running::start(&mut alice.served_command("wait b.txt"));
    elsewhere.until("waiting");
    alice.served("comment a.txt:2 -m here").code(0);
    assert_eq!(waiting.wait().code(), Some(0));
    alice.served("comment b.txt:1 -m there").code(0);
    assert_eq!(elsewhere.wait().code(), Some(0));
    let too_short = alice.served("wait --timeout 0.01");
    assert_eq!((too_short.code(1).stdout(), too_short.stderr()), (String::new(), "waiting\n".into()));
    alice.served("wait --timeout -1").code(2);
}

#[test]
fn a_watch_tells_each_event_as_a_line_until_it_is_ended() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let told = world.people().join("told");
    let file = std::fs::File::create(&told).expect("a file can be made");
    let mut command = alice.served_command("watch");
    let mut child = command.stdout(file).stderr(std::process::Stdio::null()).spawn().expect("postil starts");
    let deadline = std::time::Instant::now() + crate::support::served::TEN_SECONDS;
    // It may not listen yet when the first comments are made.
    let mut said = 0;
    while std::fs::read_to_string(&told).expect("the file is there").is_empty() {
        assert!(std::time::Instant::now() < deadline, "nothing was told");
        said += 1;
        alice.served(&format!("comment a.txt:2 -m 'comment {said}'")).code(0);
    }
    let first = std::fs::read_to_string(&told).expect("the file is there");
    assert!(first.starts_with("changed ") && first.contains(" a.txt:2\n"), "{first}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, Signal::INT).expect("it runs");
    child.wait().expect("it ends");
}
