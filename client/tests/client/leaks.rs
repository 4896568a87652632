//! Sessions that are opened and dropped leave nothing open: a program that lives for days opens many.
//!
//! Counted in a process of its own, so that no other test opens files meanwhile: this binary, started again.

use std::process::Command;

use postil_client::SubscribeTo;
use postil_protocol::List;
use postil_testkit::wait_until;

use crate::fake_daemon::{Act, FakeDaemon};
use crate::small_world::{SmallWorld, comment};

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn once(world: &SmallWorld) {
    let mut session = world.session();
    session.ask(List::default()).expect("it is answered in process");
    let daemon =
        FakeDaemon::start(&world.dirs(), |_| Act::Answer(r#"{"subscription":1,"mark":"then"}"#.into()));
    drop(session.subscribe(SubscribeTo::default()).expect("a daemon runs"));
    let mut served = world.session();
    daemon.stop();
    served.ask(List::default()).expect("it is answered in process");
}

/// Set in the process that counts.
const ALONE: &str = "POSTIL_TEST_ALONE";

#[test]
fn sessions_that_are_dropped_leave_nothing_open() {
    if std::env::var_os(ALONE).is_none() {
        let this = std::env::current_exe().expect("the test binary is known");
        let mut alone = Command::new(this);
        alone.args(["leaks::sessions_that_are_dropped_leave_nothing_open", "--exact"]).env(ALONE, "1");
        let counted = alone.output().expect("the test binary can be started");
        let said = String::from_utf8_lossy(&counted.stdout);
        assert!(counted.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let world = SmallWorld::new();
    world.session().write(comment("why?")).unwrap();
    once(&world);
    let before = open_files();
    for _ in 0..20 {
        once(&world);
    }
    // The threads of the fake daemons end a moment after them.
    wait_until("as few files are open as before", || open_files() <= before);
}
