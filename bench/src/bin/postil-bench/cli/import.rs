//! Ten thousand findings of a tool, taken over at once, and taken over again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::BenchResult;
use crate::clock::{Timing, timed_child};
use crate::daemon::Commented;
use crate::laboratory::{Laboratory, wait_for_disk};
use crate::table::{BenchRow, times};

const FINDINGS: usize = 10_000;
const FILES: usize = 200;

/// Imports a report into an empty store, then the same again.
pub fn measure(laboratory: &Laboratory, program: &Path) -> BenchResult<Vec<BenchRow>> {
    let mut lines = Vec::new();
    for (name, report) in [("SARIF", sarif()), ("rdjsonl", rdjsonl())] {
        let repo = Commented::new(laboratory, name, FILES, 0)?;
        let (file, format) = (repo.folder().join(".git/report"), name.to_ascii_lowercase());
        fs::write(&file, report)?;
        let place = laboratory.place();
        let import = || {
            let mut command = Command::new(program);
            command.args(["import", "--format", &format]).arg(&file).current_dir(repo.folder()).env_clear();
            command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
            command.env("HOME", &place).env("GIT_CONFIG_NOSYSTEM", "1").env("POSTIL_DAEMON", "off");
            command.env("GIT_AUTHOR_NAME", "A U Thor").env("GIT_AUTHOR_EMAIL", "author@example.com");
            command.stdin(Stdio::null()).stdout(Stdio::null());
            timed_child(&mut command)
        };
        wait_for_disk()?;
        let unit = timed_child(&mut repo.git_command(&["rev-parse", "HEAD"]))?;
        let line = |what: &str, timing: Timing| {
            BenchRow::ratio(format!("10,000 findings of {name}, {what}"), timing, times(timing, unit), "R")
        };
        lines.push(line("none known", import()?));
        lines.push(line("all known", import()?));
    }
    Ok(lines)
}

/// Which line of which file each finding is about.
fn places() -> impl Iterator<Item = (usize, String, usize)> {
    (0..FINDINGS).map(|n| (n, format!("file{}.txt", n % FILES), 1 + n / FILES * 3))
}

fn sarif() -> String {
    let results = places().map(|(n, file, line)| {
        json!({
            "ruleId": format!("R{}", n % 17), "level": "warning",
            "message": { "text": format!("finding {n} says that this could be better") },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": file }, "region": { "startLine": line } } }],
        })
    });
    let results: Vec<_> = results.collect();
    json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "lint" } }, "results": results }] })
        .to_string()
}

fn rdjsonl() -> String {
    let lines = places().map(|(n, file, line)| {
        let finding = json!({
            "message": format!("finding {n} says that this could be better"),
            "location": { "path": file, "range": { "start": { "line": line } } },
            "severity": "WARNING", "source": { "name": "lint" }, "code": { "value": format!("R{}", n % 17) },
        });
        format!("{finding}\n")
    });
    lines.collect()
}
