//! Lists in a large work tree, one file of which is not committed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::task::{Served, Task};
use crate::BenchResult;
use crate::clock::{Samples, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal, times};

/// Files of the work tree, beside those with comments.
const FOLDERS: usize = 1_000;
const IN_EACH: usize = 100;

/// A list while a commented file is dirty, and while one is gone, against what `git status` costs.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "dirty", 50, 100)?;
    fill(&repo)?;
    let _daemon = Daemon::start(laboratory, program)?;
    let place = laboratory.place();
    let by = (program, place.as_path());
    repo.edit(1)?;
    let mut lines = Vec::new();
    let mut measure = |what: &str, status: &[&str], most: f64| -> BenchResult<()> {
        let mut git = Samples::default();
        let list = |served: Served, how: &str| {
            Task::new(format!("list of 100,000 files, {what}, {how}"), &repo, &["list"], served, most, by)
        };
        let mut lists = [list(Served::ByDaemon, "daemon"), list(Served::ByItself, "no daemon")];
        for task in &lists {
            task.warm_up()?;
        }
        for _ in 0..rounds {
            let mut status: Command = repo.git_command(status);
            git.push(timed_child(status.stdout(std::process::Stdio::null()))?);
            for task in &mut lists {
                task.round()?;
            }
        }
        lines.push(BenchRow::time(format!("git {}, 100,000 files", status.join(" ")), git.median()));
        for task in &lists {
            let median = task.median();
            let ratio = times(median, git.median());
            lines.push(BenchRow::ratio(task.name(), median, ratio, "×").aim(Goal::AtMost(most)));
        }
        Ok(())
    };
    measure("one commented file dirty", &["status", "-uno"], 0.3)?;
    fs::rename(repo.folder().join("file3.txt"), repo.folder().join("renamed.txt"))?;
    measure("one looked for elsewhere", &["status"], 1.2)?;
    Ok(lines)
}

fn fill(repo: &Commented) -> BenchResult<()> {
    for folder in 0..FOLDERS {
        let dir = repo.folder().join(format!("d{:02}/e{:02}", folder / 32, folder % 32));
        fs::create_dir_all(&dir)?;
        for file in 0..IN_EACH {
            fs::write(dir.join(format!("f{file:03}.txt")), format!("{folder} {file}\n").repeat(20))?;
        }
    }
    timed_child(&mut repo.git_command(&["add", "--all"]))?;
    repo.commit()?;
    // What was just written could be written again in the same moment: git would read it all again.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    timed_child(&mut repo.git_command(&["update-index", "-q", "--refresh"]))?;
    Ok(())
}
