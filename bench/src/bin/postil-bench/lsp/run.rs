//! Types into a long file with many threads, and into a file of a large working tree.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::editor::{BenchEditor, uri};
use super::{opening, rest};
use crate::BenchResult;
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{self, BenchRow, Goal};

const ROUNDS: usize = 200;

/// The pause that an editor has if nobody says otherwise, in milliseconds; here it lasts as long as somebody types.
pub(super) const USUAL_PAUSE: u32 = 150;

/// So many threads are in the long file.
const THREADS: usize = 500;

/// How long the long file is, in bytes; the engine searches no longer ones.
const LONG: usize = 512_000;

/// How many files the large working tree has.
const FILES: usize = 20_000;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    let laboratory = Laboratory::new()?;
    let _daemon = Daemon::start(&laboratory, &options.program)?;
    let mut lines = Vec::new();
    if options.wants("key") {
        lines.extend(keys(&laboratory, &options)?);
    }
    if options.wants("state") {
        lines.extend(states(&laboratory, &options)?);
    }
    if options.wants("open") {
        lines.extend(opening::measure(&laboratory, &options)?);
    }
    if options.wants("rest") {
        lines.extend(rest::measure(&laboratory, &options)?);
    }
    table::print(&lines);
    Ok(())
}

/// A server in a repository, with the daemon of the laboratory.
pub(super) fn server(
    laboratory: &Laboratory,
    program: &Path,
    repo: &Commented,
    pause: u32,
) -> BenchResult<BenchEditor> {
    BenchEditor::start(postil(program, &laboratory.place(), repo).arg("lsp"), pause)
}

/// The program in a repository, with a home of its own.
pub(super) fn postil(program: &Path, home: &Path, repo: &Commented) -> Command {
    let mut command = Command::new(program);
    command.current_dir(repo.folder()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", home).env("POSTIL_RUNTIME_DIR", home.join("run")).env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// How long a key takes until the threads of a long file are at their places.
fn keys(laboratory: &Laboratory, options: &BenchOptions<'_>) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "long", 1, THREADS)?;
    let file = repo.folder().join("file0.txt");
    let mut text = fs::read_to_string(&file)?;
    let mut number = 0;
    while text.len() < LONG - 100 {
        let _ = writeln!(text, "one more line, the {number}th of those without a thread");
        number += 1;
    }
    fs::write(&file, &text)?;
    repo.commit()?;
    let mut editor = server(laboratory, &options.program, &repo, USUAL_PAUSE)?;
    let uri = uri(&file);
    editor.open(&uri, &text)?;
    editor.settle()?;
    let last = u32::try_from(text.lines().count())? - 1;
    let (mut letters, mut lines) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        letters.push(timed(|| {
            editor.insert(&uri, (last, 0), "x")?;
            editor.ask_actions(&uri)
        })?);
        lines.push(timed(|| {
            editor.insert(&uri, (0, 0), "\n")?;
            editor.until_published()
        })?);
        let first = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } });
        editor.replace(&uri, &first, "")?;
        editor.until_published()?;
    }
    Ok(vec![
        BenchRow::figure("a letter in 512 KB with 500 threads, 99th of 100", worst(&mut letters), "ms")
            .aim(Goal::AtMost(1.0)),
        BenchRow::figure(
            "a line above 500 threads, all told to the editor, 99th of 100",
            worst(&mut lines),
            "ms",
        )
        .aim(Goal::AtMost(10.0)),
    ])
}

/// How long it takes until the state of a changed line is known, after the pause.
fn states(laboratory: &Laboratory, options: &BenchOptions<'_>) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "many-files", 50, 100)?;
    for folder in 0..FILES / 100 {
        let dir = repo.folder().join(format!("d{folder:03}"));
        fs::create_dir_all(&dir)?;
        for file in 0..100 {
            fs::write(dir.join(format!("f{file:03}.txt")), format!("{folder} {file}\n").repeat(20))?;
        }
    }
    repo.git_command(&["add", "--all"]).status()?;
    repo.commit()?;
    let file = repo.folder().join("file3.txt");
    let text = fs::read_to_string(&file)?;
    let mut editor = server(laboratory, &options.program, &repo, 0)?;
    let uri = uri(&file);
    editor.open(&uri, &text)?;
    editor.settle()?;
    let mut known = Vec::new();
    for round in 0..options.rounds.min(50) {
        known.push(timed(|| {
            editor.insert(&uri, (0, 0), &format!("{round}"))?;
            editor.settle()
        })?);
    }
    known.sort_unstable();
    let median = known[known.len() / 2].as_secs_f64() * 1_000.0;
    let row = BenchRow::figure("the state of a changed line at 20,000 files, beside the pause", median, "ms");
    Ok(vec![row.aim(Goal::AtMost(30.0))])
}

pub(super) fn timed(work: impl FnOnce() -> BenchResult<()>) -> BenchResult<Duration> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

/// The slowest of a hundred, but for one, in milliseconds.
pub(super) fn worst(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    let nth = (times.len() * 99 / 100).min(times.len().saturating_sub(1));
    times.get(nth).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}
