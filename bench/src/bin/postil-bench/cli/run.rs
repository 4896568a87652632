//! Runs all measurements of the command line in turns, and prints their table.
//!
//! The unit R is the median of `git rev-parse HEAD` in the same rounds: a process that starts, finds the repository,
//! reads its configuration and one ref, and ends.

use std::fs::File;

use super::task::{Served, Task};
use super::{dirty, first, import, waiting, woven};
use crate::BenchResult;
use crate::clock::{Samples, timed, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{self, BenchRow};

const ROUNDS: usize = 25;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    let laboratory = Laboratory::new()?;
    let mut lines = Vec::new();
    if options.wants("commands") {
        lines.extend(commands(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("waiting") {
        lines.extend(waiting::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("diff") {
        lines.extend(woven::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("first") {
        lines.extend(first::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("dirty") {
        lines.extend(dirty::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("import") {
        lines.extend(import::measure(&laboratory, &options.program)?);
    }
    table::print(&lines);
    Ok(())
}

fn commands(laboratory: &Laboratory, program: &std::path::Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let small = Commented::new(laboratory, "hundred", 50, 100)?;
    let middle = Commented::new(laboratory, "thousand", 50, 1_000)?;
    let large = Commented::new(laboratory, "ten-thousand", 50, 10_000)?;
    // A comment makes everybody's next list a new one; those who only read are not to pay for it here.
    let busy = Commented::new(laboratory, "busy", 50, 10_000)?;
    let _daemon = Daemon::start(laboratory, program)?;
    let place = laboratory.place();
    let by = (program, place.as_path());
    let comment: &[&str] = &["comment", "file7.txt:12", "-m", "Is this line what it should be?"];
    let mut tasks = [
        Task::new(
            "threads of one file, of 1,000",
            &middle,
            &["list", "file3.txt"],
            Served::ByDaemon,
            2.0,
            by,
        ),
        Task::new("list of 1,000", &middle, &["list"], Served::ByDaemon, 2.0, by),
        Task::new("list of 10,000", &large, &["list"], Served::ByDaemon, 5.0, by),
        Task::new("comment -m, where there are 100", &small, comment, Served::ByDaemon, 5.0, by),
        Task::new("comment -m, where there are 10,000", &busy, comment, Served::ByDaemon, 5.0, by),
        Task::new("list of 10,000 without a daemon", &large, &["list"], Served::ByItself, 30.0, by)
            .without_aim(),
        Task::new("the words of the command line alone", &middle, &["--version"], Served::ByItself, 1.0, by)
            .without_aim(),
    ];
    for task in &tasks {
        task.warm_up()?;
    }
    let (mut unit, mut file) = (Samples::default(), Samples::default());
    for round in 0..rounds {
        // A comment makes five files or more. Where there is no journal, ext4 looks at each inode that was freed in the
        // last minutes before it takes one, and a file can cost half a millisecond for a while.
        let path = small.folder().join(format!(".git/made-{round}"));
        file.push(timed(|| Ok(File::create_new(path)?))?.1);
        for task in &mut tasks {
            // Beside each of them, so that a machine that slows down slows down both.
            unit.push(timed_child(&mut middle.git_command(&["rev-parse", "HEAD"]))?);
            task.round()?;
        }
    }
    let mut lines = vec![
        BenchRow::time("R: git rev-parse HEAD", unit.median()),
        BenchRow::time("an empty file, where there are 100", file.median()),
    ];
    lines.extend(tasks.iter().map(|task| task.line(&unit)));
    Ok(lines)
}
