//! Sessions that are opened and dropped leave nothing open: a program that lives for days opens many.
//!
//! One test in one process, so that no other test opens files meanwhile.

#[path = "support/fake_daemon.rs"]
mod fake_daemon;
#[path = "support/small_world.rs"]
mod small_world;

use std::time::{Duration, Instant};

use fake_daemon::{Act, FakeDaemon};
use postil_client::SubscribeTo;
use postil_protocol::List;
use small_world::{SmallWorld, comment};

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

#[test]
fn sessions_that_are_dropped_leave_nothing_open() {
    let world = SmallWorld::new();
    world.session().write(comment("why?")).unwrap();
    once(&world);
    let before = open_files();
    for _ in 0..20 {
        once(&world);
    }
    // The threads of the fake daemons end a moment after them.
    let deadline = Instant::now() + Duration::from_secs(10);
    while open_files() > before {
        assert!(Instant::now() < deadline, "{} files are open, and {before} were", open_files());
        std::thread::yield_now();
    }
}
