//! How soon the threads of a file are there after it is opened, and the comment of somebody else after it is stored.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use super::editor::uri;
use super::run::{USUAL_PAUSE, postil, server, timed, worst};
use crate::BenchResult;
use crate::daemon::Commented;
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{BenchRow, Goal};

const FILES: usize = 20;
const COMMENTS: usize = 1_000;

/// So often an editor is started; each of them is a process.
const STARTS: usize = 20;

/// Opens a file of a repository with a thousand comments, with a daemon and without one, and comments beside the editor.
pub fn measure(laboratory: &Laboratory, options: &BenchOptions<'_>) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "opened", FILES, COMMENTS)?;
    let file = repo.folder().join("file0.txt");
    let (uri, text) = (uri(&file), fs::read_to_string(&file)?);
    let (mut warm, mut cold, mut told) = (Vec::new(), Vec::new(), Vec::new());
    let starts = options.rounds.min(STARTS);
    for nth in 0..=starts {
        let mut editor = server(laboratory, &options.program, &repo, USUAL_PAUSE)?;
        let time = timed(|| {
            editor.open(&uri, &text)?;
            editor.until_published()
        })?;
        // The first one shows the daemon its repository.
        if nth > 0 {
            warm.push(time);
        }
    }
    for nth in 0..starts {
        let home = laboratory.folder(&format!("cold{nth}")).dir;
        let mut editor = super::editor::BenchEditor::start(
            postil(&options.program, &home, &repo).arg("lsp"),
            USUAL_PAUSE,
        )?;
        cold.push(timed(|| {
            editor.open(&uri, &text)?;
            editor.until_published()
        })?);
        drop(editor);
        let mut stop = postil(&options.program, &home, &repo);
        stop.args(["daemon", "stop"]).stdout(Stdio::null()).status()?;
    }
    let mut editor = server(laboratory, &options.program, &repo, USUAL_PAUSE)?;
    editor.open(&uri, &text)?;
    editor.settle()?;
    for round in 0..starts {
        // Each goes to the file that is open.
        repo.comment_aside(round * FILES)?;
        told.push(timed(|| editor.until_published())?);
        editor.settle()?;
    }
    let row = |what: &str, times: &mut Vec<Duration>, most: f64| {
        BenchRow::figure(format!("{what}, slowest of {}", times.len()), worst(times), "ms")
            .aim(Goal::AtMost(most))
    };
    Ok(vec![
        row("threads after a file is opened, daemon runs", &mut warm, 100.0),
        row("threads after a file is opened, daemon to be started", &mut cold, 300.0),
        row("a comment of somebody else, after it is stored", &mut told, 200.0),
    ])
}
