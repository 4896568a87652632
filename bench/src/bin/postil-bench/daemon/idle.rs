//! What an idle daemon costs: memory, processor time, and how often it wakes.

use std::path::Path;
use std::thread;
use std::time::Duration;

use postil_protocol::{HeadName, List};
use rustix::process::{Pid, Signal, kill_process};

use super::counted::{Counted, memory};
use super::served::{Commented, Daemon};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal};

const REPOSITORIES: usize = 10;
const COMMENTS: usize = 1_000;

/// The daemon looks at all repositories once a minute.
const FIRST_LOOK: Duration = Duration::from_secs(65);

/// Uses ten repositories once, and then leaves the daemon alone.
pub fn measure(laboratory: &Laboratory, program: &Path, seconds: u64) -> BenchResult<Vec<BenchRow>> {
    let repos: Vec<Commented> = (0..REPOSITORIES)
        .map(|n| Commented::new(laboratory, &format!("idle{n}"), 20, COMMENTS))
        .collect::<BenchResult<_>>()?;
    let daemon = Daemon::start(laboratory, program)?;
    let mut client = daemon.client()?;
    for repo in &repos {
        client.ask(&repo.about(List { head: HeadName::Head, ..List::default() })?)?;
    }
    drop(client);
    let used = quiet(&daemon)?;
    // A new one attends to the same repositories, and nobody asks it for anything.
    drop(daemon);
    let daemon = Daemon::start(laboratory, program)?;
    let fresh = quiet(&daemon)?;
    // Its first look finds files that were written a moment before it began, and looks at them whole; after that it
    // is at rest.
    thread::sleep(FIRST_LOOK);
    let before = Counted::of(daemon.pid())?;
    thread::sleep(Duration::from_secs(seconds));
    let after = Counted::of(daemon.pid())?;
    let mut client = daemon.client()?;
    for repo in &repos {
        client.ask(&repo.about(List { head: HeadName::Head, ..List::default() })?)?;
    }
    drop(client);
    // Reading configurations again gives back what a long silence gives back.
    let pid = i32::try_from(daemon.pid()).ok().and_then(Pid::from_raw).ok_or("a daemon without a process")?;
    kill_process(pid, Signal::HUP)?;
    let given_back = quiet(&daemon)?;
    let minutes = seconds as f64 / 60.0;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    Ok(vec![
        BenchRow::figure(
            "memory, 10 repositories with 10,000 comments, nobody asked",
            megabytes(fresh),
            "MB",
        )
        .aim(Goal::AtMost(16.0)),
        BenchRow::figure("memory, all of them in use", megabytes(used), "MB"),
        BenchRow::figure("memory, given back after that", megabytes(given_back), "MB")
            .aim(Goal::AtMost(16.0)),
        BenchRow::figure("wake-ups in a minute, idle", (after.wakes - before.wakes) as f64 / minutes, "")
            .aim(Goal::AtMost(10.0)),
        BenchRow::figure(
            "processor time in a minute, idle",
            (after.ticks - before.ticks) as f64 * 10.0 / minutes,
            "ms",
        ),
    ])
}

/// Waits until the daemon has done nothing for a while; returns its memory in bytes.
fn quiet(daemon: &Daemon) -> BenchResult<u64> {
    /// Idle threads of its pool end after some seconds.
    const CALM: Duration = Duration::from_secs(8);
    loop {
        let before = Counted::of(daemon.pid())?.ticks;
        thread::sleep(CALM);
        if Counted::of(daemon.pid())?.ticks == before {
            return memory(daemon.pid());
        }
    }
}
