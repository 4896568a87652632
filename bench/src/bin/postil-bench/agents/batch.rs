//! A hundred comments at once, five of which cannot be placed, against one.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::server::{AnsweredBy, command};
use crate::BenchResult;
use crate::clock::{Samples, Timing};
use crate::daemon::Commented;
use crate::laboratory::{Laboratory, wait_for_disk};
use crate::table::{BenchRow, Goal, times};

/// So many times longer than one comment a hundred of them may take.
const MOST: f64 = 3.0;

/// So many are refused.
const BAD: usize = 5;

/// Writes both in turns.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "batch", 50, 100)?;
    let (mut one, mut many) = (Samples::default(), Samples::default());
    wait_for_disk()?;
    for _ in 0..rounds {
        one.push(written(laboratory, program, &repo, 1, 0)?);
        many.push(written(laboratory, program, &repo, 100, BAD)?);
    }
    let (one, many) = (one.median(), many.median());
    let line = BenchRow::ratio("100 comments at once, 5 refused", many, times(many, one), "x");
    Ok(vec![BenchRow::time("a batch of one comment", one), line.aim(Goal::AtMost(MOST))])
}

fn written(
    laboratory: &Laboratory,
    program: &Path,
    repo: &Commented,
    count: usize,
    bad: usize,
) -> BenchResult<Timing> {
    let item = |nth: usize| {
        // The last ones are on lines that no file has.
        let line = if nth < count - bad { 1 + nth } else { 100_000 + nth };
        json!({ "path": format!("file{}.txt", nth % 50), "lines": line, "text": "Is this line what it should be?" })
    };
    let items: String = (0..count).map(|nth| format!("{}\n", item(nth))).collect();
    let file = repo.folder().join(".git/batch");
    fs::write(&file, items)?;
    let mut command = command(laboratory, program, repo, AnsweredBy::Itself);
    command.args(["--json", "comment", "--batch"]).arg(&file).stdin(Stdio::null());
    let began = Instant::now();
    let output = command.output()?;
    let timing = Timing { wall: began.elapsed(), ..Timing::default() };
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let count_of = |key: &str| told[key].as_array().map_or(0, Vec::len);
    if (count_of("done"), count_of("refused")) != (count - bad, bad) {
        return Err(format!("{told}").into());
    }
    Ok(timing)
}
