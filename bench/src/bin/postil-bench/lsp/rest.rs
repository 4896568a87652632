//! What a server costs while nobody does anything: memory, processor time, and how often it wakes.

use std::fs;
use std::thread;
use std::time::Duration;

use super::editor::uri;
use super::run::{USUAL_PAUSE, server};
use crate::BenchResult;
use crate::daemon::{Commented, Counted, own_memory};
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{BenchRow, Goal};

const FILES: usize = 20;
const COMMENTS: usize = 1_000;

/// So long it may finish what it began.
const CALM: Duration = Duration::from_secs(5);

/// Opens all files of a repository, types a little, and then leaves the server alone.
pub fn measure(laboratory: &Laboratory, options: &BenchOptions<'_>) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "at-rest", FILES, COMMENTS)?;
    let mut editor = server(laboratory, &options.program, &repo, USUAL_PAUSE)?;
    for nth in 0..FILES {
        let file = repo.folder().join(format!("file{nth}.txt"));
        editor.open(&uri(&file), &fs::read_to_string(&file)?)?;
        editor.insert(&uri(&file), (0, 0), "x")?;
    }
    editor.settle()?;
    thread::sleep(CALM);
    let before = Counted::of(editor.process())?;
    thread::sleep(Duration::from_secs(options.idle_seconds));
    let after = Counted::of(editor.process())?;
    let minutes = options.idle_seconds as f64 / 60.0;
    Ok(vec![
        BenchRow::figure(
            "memory beside the daemon, 20 files with 1,000 threads open",
            own_memory(editor.process())? as f64 / 1e6,
            "MB",
        )
        .aim(Goal::AtMost(15.0)),
        BenchRow::figure("wake-ups in a minute, at rest", (after.wakes - before.wakes) as f64 / minutes, "")
            .aim(Goal::AtMost(0.0)),
        BenchRow::figure(
            "processor time in a minute, at rest",
            (after.ticks - before.ticks) as f64 * 10.0 / minutes,
            "ms",
        )
        .aim(Goal::AtMost(0.0)),
    ])
}
