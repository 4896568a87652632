//! What a prompt and a person in the morning ask: the status in one line, and the inbox of ten repositories.

use std::path::Path;

use super::task::{Served, Task};
use crate::BenchResult;
use crate::clock::{Samples, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::BenchRow;

/// So many repositories have an inbox.
const REPOSITORIES: usize = 10;

/// So many comments each of them has.
const COMMENTS: usize = 200;

/// The status in one line, and the inbox of all, both with what the daemon keeps.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let mut repos = Vec::new();
    for nth in 0..REPOSITORIES {
        repos.push(Commented::new(laboratory, &format!("waiting-{nth}"), 20, COMMENTS)?);
    }
    let _daemon = Daemon::start(laboratory, program)?;
    let place = laboratory.place();
    let by = (program, place.as_path());
    for repo in &repos {
        Task::new("list", repo, &["list"], Served::ByDaemon, 2.0, by).warm_up()?;
    }
    let here = &repos[0];
    let mut tasks = [
        Task::new("status --short", here, &["status", "--short"], Served::ByDaemon, 2.0, by),
        Task::new("inbox of 10 repositories", here, &["inbox"], Served::ByDaemon, 5.0, by),
    ];
    for task in &tasks {
        task.warm_up()?;
    }
    let mut unit = Samples::default();
    for _ in 0..rounds {
        for task in &mut tasks {
            unit.push(timed_child(&mut here.git_command(&["rev-parse", "HEAD"]))?);
            task.round()?;
        }
    }
    Ok(tasks.iter().map(|task| task.line(&unit)).collect())
}
