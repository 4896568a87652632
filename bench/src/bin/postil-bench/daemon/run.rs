//! Runs all measurements of the daemon, and prints their table.

use std::path::PathBuf;

use super::{idle, lists, moves};
use crate::Fallible;
use crate::laboratory::Laboratory;
use crate::table;

const ROUNDS: usize = 50;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> Fallible<()> {
    let (mut rounds, mut program, mut seconds) = (ROUNDS, beside_this_program()?, 60);
    let mut only = Vec::new();
    for option in options.chunks(2) {
        match option {
            ["--rounds", count] => rounds = count.parse()?,
            ["--postil", path] => program = PathBuf::from(path),
            ["--idle", count] => seconds = count.parse()?,
            ["--only", subject] => only.push(*subject),
            _ => return Err(crate::USAGE.into()),
        }
    }
    if !program.is_file() {
        return Err(format!("build {} first, or name another one with --postil", program.display()).into());
    }
    let wanted = |name: &str| only.is_empty() || only.contains(&name);
    let mut lines = Vec::new();
    if wanted("moves") {
        lines.extend(moves::measure(&Laboratory::new()?, &program, rounds)?);
    }
    if wanted("lists") {
        lines.extend(lists::measure(&Laboratory::new()?, &program, rounds)?);
    }
    if wanted("idle") {
        lines.extend(idle::measure(&Laboratory::new()?, &program, seconds)?);
    }
    table::print(&lines);
    Ok(())
}

fn beside_this_program() -> Fallible<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("postil"))
}
