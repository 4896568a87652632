//! The diff of a large branch with its threads, against what git takes to print the diff alone.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::task::{Served, Task};
use crate::BenchResult;
use crate::clock::{Samples, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal, times};

/// So many files differ.
const FILES: usize = 300;

/// So many threads are in them.
const COMMENTS: usize = 1_000;

/// A diff with threads may take so many times what git takes.
const MOST: f64 = 1.5;

/// `postil diff` and `git diff`, in turns.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "woven", FILES, COMMENTS)?;
    change_all(&repo)?;
    repo.commit()?;
    let _daemon = Daemon::start(laboratory, program)?;
    let place = laboratory.place();
    let by = (program, place.as_path());
    let task = |what: &str, words, served| Task::new(what, &repo, words, served, MOST, by);
    let mut tasks = [
        task("diff of 300 files with 1,000 threads", &["diff", "HEAD~1"], Served::ByDaemon),
        task("the same without a daemon", &["diff", "HEAD~1"], Served::ByItself),
        task("the same without threads", &["diff", "--no-threads", "HEAD~1"], Served::ByDaemon),
    ];
    for task in &tasks {
        task.warm_up()?;
    }
    let mut git = Samples::default();
    for _ in 0..rounds {
        for task in &mut tasks {
            git.push(timed_child(repo.git_command(&["diff", "HEAD~1"]).stdout(Stdio::null()))?);
            task.round()?;
        }
    }
    let mut lines = vec![BenchRow::time("git diff of 300 files", git.median())];
    lines.extend(tasks.iter().enumerate().map(|(nth, task)| {
        let line = BenchRow::ratio(task.name(), task.median(), times(task.median(), git.median()), "×");
        if nth == 0 { line.aim(Goal::AtMost(MOST)) } else { line }
    }));
    Ok(lines)
}

/// Changes every file in two places.
fn change_all(repo: &Commented) -> BenchResult<()> {
    for entry in fs::read_dir(repo.folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let text = fs::read_to_string(&path)?;
            let text = text.replace("line 3 of", "third line of").replace("line 9 of", "one more\nline 9 of");
            fs::write(&path, text)?;
        }
    }
    Ok(())
}
