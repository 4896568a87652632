//! From the end of `git commit` to `placed` on a subscriber, with a thousand comments.

use std::path::Path;
use std::time::{Duration, Instant};

use postil_protocol::{Event, Subscribe, Topic};

use super::served::{Commented, Daemon};
use crate::BenchResult;
use crate::clock::Timing;
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal};

/// Between two commits.
const PAUSE: Duration = Duration::from_millis(300);

/// Commits, and waits for the event each time.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "moves", 50, 1_000)?;
    let daemon = Daemon::start(laboratory, program)?;
    let mut client = daemon.client()?;
    client.ask(&Subscribe {
        repository: repo.name()?,
        topic: Topic::Repository,
        work_tree: false,
        since: None,
        via: None,
    })?;
    let mut after: Vec<Duration> = Vec::new();
    for round in 0..rounds {
        // Nobody commits faster than this; what follows the event must not count for the next one.
        std::thread::sleep(PAUSE);
        repo.edit(round)?;
        repo.commit()?;
        let began = Instant::now();
        let resolved = loop {
            if let Event::Placed(event) = client.next_event()?.ok_or("the daemon ended")? {
                break event;
            }
        };
        after.push(began.elapsed());
        let head = repo.head()?;
        if resolved.head.is_none_or(|at| at.as_str() != head) || resolved.placed.is_empty() {
            return Err("resolved for another head, or nothing moved".into());
        }
    }
    after.sort_unstable();
    let at = |share: usize| after[(after.len() * share / 100).min(after.len() - 1)];
    let line = |what: &str, wall: Duration| {
        BenchRow::ratio(what, Timing { wall, cpu: Duration::ZERO }, wall.as_secs_f64() * 1e3, "ms")
    };
    Ok(vec![
        line("git commit → resolved, 1,000 comments, median", at(50)).aim(Goal::AtMost(30.0)),
        line("git commit → resolved, 1,000 comments, p99", at(99)),
    ])
}
