//! The first list after something changed: what a person waits for, and what no cache of whole answers helps with.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::task::{Served, Task};
use crate::BenchResult;
use crate::clock::{Samples, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::BenchRow;

const COMMENT: &[&str] = &["comment", "file7.txt:12", "-m", "Is this line what it should be?"];

/// A daemon that was not asked is at rest by then.
const PAUSE: Duration = Duration::from_millis(700);

/// A list after a comment, after a commit, and after a file was saved.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let middle = Commented::new(laboratory, "first-thousand", 50, 1_000)?;
    let large = Commented::new(laboratory, "first-ten-thousand", 50, 10_000)?;
    let _daemon = Daemon::start(laboratory, program)?;
    let place = laboratory.place();
    let by = (program, place.as_path());
    let mut unit = Samples::default();
    let mut lines = Vec::new();
    for (repo, count, most) in [(&middle, "1,000", 2.5), (&large, "10,000", 6.0)] {
        let list = |what: &str, most: f64| {
            let what = format!("first list of {count} after {what}");
            Task::new(what, repo, &["list"], Served::ByDaemon, most, by)
        };
        let mut after_comment = list("a comment", most);
        let mut after_commit = list("a commit", most);
        let mut after_save = list("a save", most).without_aim();
        let comment = Task::new("comment", repo, COMMENT, Served::ByDaemon, 5.0, by);
        comment.warm_up()?;
        after_comment.warm_up()?;
        for round in 0..rounds {
            // What the daemon does by itself after a change is done by then.
            thread::sleep(PAUSE);
            unit.push(timed_child(&mut repo.git_command(&["rev-parse", "HEAD"]))?);
            comment.warm_up()?;
            after_comment.round()?;
            thread::sleep(PAUSE);
            repo.edit(round)?;
            after_save.round()?;
            thread::sleep(PAUSE);
            repo.commit()?;
            after_commit.round()?;
        }
        lines.extend([after_comment, after_commit, after_save].map(|task| task.line(&unit)));
    }
    Ok(lines)
}
