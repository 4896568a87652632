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
    for option in options.chunks(2) {
        match option {
            ["--rounds", count] => rounds = count.parse()?,
            ["--postil", path] => program = PathBuf::from(path),
            ["--idle", count] => seconds = count.parse()?,
            _ => return Err(crate::USAGE.into()),
        }
    }
    if !program.is_file() {
        return Err(format!("build {} first, or name another one with --postil", program.display()).into());
    }
    let mut lines = moves::measure(&Laboratory::new()?, &program, rounds)?;
    lines.extend(lists::measure(&Laboratory::new()?, &program, rounds)?);
    lines.extend(idle::measure(&Laboratory::new()?, &program, seconds)?);
    table::print(&lines);
    Ok(())
}

fn beside_this_program() -> Fallible<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("postil"))
}
