//! Runs all measurements of exchanges in turns, and prints their table.

use std::path::PathBuf;

use super::apart::Apart;
use super::idle::Idle;
use super::transfer::Transfer;
use crate::Fallible;
use crate::clock::Timing;
use crate::laboratory::{Laboratory, settle};
use crate::store::Subject;
use crate::table;

const ROUNDS: usize = 9;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> Fallible<()> {
    let mut program = std::env::current_exe()?.with_file_name("postil");
    let (mut rounds, mut only) = (ROUNDS, Vec::new());
    for option in options.chunks(2) {
        match option {
            ["--rounds", count] => rounds = count.parse()?,
            ["--postil", path] => program = PathBuf::from(path),
            ["--only", subject] => only.push(*subject),
            _ => return Err(crate::USAGE.into()),
        }
    }
    if !program.is_file() {
        return Err(format!("build {} first, or name another one with --postil", program.display()).into());
    }
    let laboratory = Laboratory::new()?;
    let wanted = |name: &str| only.is_empty() || only.contains(&name);
    let mut subjects: Vec<Box<dyn Subject + '_>> = Vec::new();
    if wanted("nothing") {
        subjects.push(Box::new(Idle::new(&laboratory, program)?));
    }
    if wanted("apart") {
        subjects.push(Box::new(Apart::new(&laboratory)?));
    }
    if wanted("transfer") {
        subjects.push(Box::new(Transfer::new(&laboratory)?));
    }
    for _ in 0..rounds {
        for subject in &mut subjects {
            settle()?;
            subject.round()?;
        }
    }
    let lines: Vec<_> = subjects.iter().flat_map(|subject| subject.lines(Timing::default())).collect();
    table::print(&lines);
    Ok(())
}
