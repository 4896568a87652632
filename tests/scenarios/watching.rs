//! Waiting for what others do, from the command line.

use postil_testkit::{wait_for, wait_until};
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
    assert!(first.starts_with("commented ") && first.contains(" a.txt:2  alice: comment "), "{first}");
    let until = |words: &str| {
        wait_for(words, || {
            let told = std::fs::read_to_string(&told).expect("the file is there");
            told.contains(words).then_some(told)
        })
    };
    alice.served("reply @ -m because").code(0);
    until(" a.txt:2  alice: because\n");
    alice.served("resolve @").code(0);
    let id = alice.served("comment a.txt:1 -m above").code(0).stdout();
    let id = id.split(' ').next().expect("it is told").to_owned();
    until(" a.txt:1  alice: above\n");
    alice.served(&format!("move {id} a.txt:2")).code(0);
    alice.served(&format!("withdraw {id}")).code(0);
    let all = until("withdrew ");
    assert!(all.contains("resolved ") && all.contains(" a.txt:2  by alice\n"), "{all}");
    let moved: Vec<&str> = all.lines().filter(|line| line.starts_with("moved ")).collect();
    assert_eq!(
        moved,
        [format!("moved {id} a.txt:2  by alice")],
        "a new comment has not moved, and a moved one did once"
    );
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, Signal::TERM).expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn who_waits_for_a_file_that_is_not_there_is_told_so() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let told = alice.served("wait nosuch.txt --timeout 0.1").code(1).stderr();
    assert_eq!(told, "note: no such file: nosuch.txt\nwaiting\n");
    assert_eq!(alice.served("wait a.txt --timeout 0.1").code(1).stderr(), "waiting\n");
}

#[test]
fn who_waits_for_a_review_that_does_not_exist_is_told_so_and_its_branch_names_it() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\n");
    alice.commit("second");
    for line in ["wait --review nosuch", "watch --review nosuch"] {
        let refused = alice.served(line);
        assert!(refused.code(3).stderr().contains("nosuch"), "{}", refused.stderr());
    }
    alice.served("comment a.txt:2 -m here").code(0);
    let mut waiting = Running::start(&mut alice.served_command("wait --review topic"));
    waiting.until("waiting");
    alice.served("reply @ -m there").code(0);
    assert_eq!(waiting.wait().code(), Some(0));
}

#[test]
fn who_watches_and_who_waits_miss_nothing_when_the_daemon_is_killed() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let (events, notes) = (world.people().join("events"), world.people().join("notes"));
    let file = |path: &std::path::Path| std::fs::File::create(path).expect("a file can be made");
    let mut command = alice.served_command("watch");
    let watching = command.stdout(file(&events)).stderr(file(&notes)).spawn().expect("postil starts");
    let watching = Ended(watching);
    let mut waiting = Running::start(&mut alice.served_command("wait"));
    waiting.until("waiting");
    let until = |path: &std::path::Path, words: &str| {
        wait_until(words, || std::fs::read_to_string(path).expect("the file is there").contains(words));
    };
    until(&notes, "watching");
    for round in ["one", "two"] {
        let daemon = world.daemon().expect("a daemon runs");
        rustix::process::kill_process(daemon, Signal::KILL).expect("it runs");
        // Said while the daemon is not running: whoever starts the next one hears of it.
        alice.postil(&format!("comment a.txt:2 -m 'after {round}'")).code(0);
        until(&events, &format!("after {round}"));
    }
    assert_eq!(waiting.wait().code(), Some(0));
    drop(watching);
}

#[test]
fn who_waits_starts_the_program_that_took_the_place_of_theirs() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let installed = world.people().join("postil");
    let install = || {
        let built = crate::support::postil::POSTIL;
        if std::fs::hard_link(built, &installed).is_err() {
            std::fs::copy(built, &installed).expect("a program can be copied");
        }
    };
    install();
    let mut waiting = Running::start(alice.command(&installed).arg("wait"));
    waiting.until("waiting");
    std::fs::remove_file(&installed).expect("it is there");
    install();
    let daemon = world.daemon().expect("a daemon runs");
    rustix::process::kill_process(daemon, Signal::KILL).expect("it runs");
    alice.postil("comment a.txt:2 -m here").code(0);
    assert_eq!(waiting.wait().code(), Some(0));
}

/// A process that ends with its test.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn who_waits_since_a_mark_hears_of_what_happened_before_they_waited_with_and_without_a_daemon() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let mark = |json: String| {
        let value: serde_json::Value = serde_json::from_str(json.trim()).expect("one line of JSON");
        let params = value.get("params").unwrap_or(&value);
        params["mark"].as_str().expect("every answer has one").to_owned()
    };
    for with_daemon in [false, true] {
        let run = |line: &str| if with_daemon { alice.served(line) } else { alice.postil(line) };
        let listed = mark(run("list --json").code(0).stdout());
        // Something else each time: the same words at the same moment would be the same record.
        run(&format!("comment a.txt:2 -m 'here {with_daemon}'")).code(0);
        // What happened already is told to those too who do not wait at all.
        run(&format!("wait --timeout 0 --since {listed}")).code(0);
        let waited = run(&format!("wait --timeout 10 --json --since {listed}"));
        let waited = waited.code(0).stdout();
        assert!(waited.contains("\"what\":\"commented\""), "{waited}");
        // From the mark of what was heard there is nothing more to hear; nor from that of one's own words.
        run(&format!("wait --timeout 0.1 --since {}", mark(waited))).code(1);
        let own = mark(run(&format!("comment a.txt:1 -m 'mine {with_daemon}' --json")).code(0).stdout());
        run(&format!("wait --timeout 0.1 --since {own}")).code(1);
        let compact = run("wait --timeout 10 --since nonsense --compact").code(0).stdout();
        assert!(compact.contains("warning: too much changed since this mark"), "{compact}");
        let nonsense = run("wait --timeout 10 --since nonsense");
        assert!(nonsense.code(0).stdout().contains("`postil list`"), "{}", nonsense.stdout());
    }
}

#[test]
fn a_head_that_moved_is_no_reason_to_list_again_for_who_waits_without_the_daemon_that_knew() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.postil("comment a.txt:2 -m here").code(0);
    for with_daemon in [false, true] {
        let run = |line: &str| if with_daemon { alice.served(line) } else { alice.postil(line) };
        let listed: serde_json::Value =
            serde_json::from_str(run("list --json").code(0).stdout().trim()).expect("one line of JSON");
        let mark = listed["mark"].as_str().expect("every answer has one").to_owned();
        alice.write("a.txt", format!("new {with_daemon}\none\ntwo\n"));
        alice.commit("second");
        if let Some(daemon) = world.daemon() {
            rustix::process::kill_process(daemon, Signal::KILL).expect("it runs");
        }
        run(&format!("wait --timeout 0.1 --since {mark}")).code(1);
        let placed = run(&format!("wait --timeout 10 --for placed --json --since {mark}")).code(0).stdout();
        assert!(placed.contains("\"method\":\"placed\""), "{placed}");
        run(&format!("comment a.txt:1 -m 'more {with_daemon}'")).code(0);
        let told = run(&format!("wait --timeout 10 --json --since {mark}")).code(0).stdout();
        assert!(told.contains("\"what\":\"commented\""), "{told}");
    }
}

#[test]
fn who_uses_no_daemon_hears_of_what_others_do_meanwhile() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("config postil.daemon off");
    let mut waiting = Running::start(&mut alice.served_command("wait --timeout 10"));
    waiting.until("waiting");
    alice.postil("comment a.txt:2 -m here").code(0);
    assert_eq!(waiting.wait().code(), Some(0));
    assert!(world.daemon().is_none(), "none was started");
}
