//! Runs all measurements of exchanges in turns, and prints their table.

use super::apart::Apart;
use super::idle::Idle;
use super::transfer::Transfer;
use crate::BenchResult;
use crate::clock::Timing;
use crate::laboratory::{Laboratory, wait_for_disk};
use crate::options::BenchOptions;
use crate::store::Measurement;
use crate::table;

const ROUNDS: usize = 9;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    let laboratory = Laboratory::new()?;
    let mut subjects: Vec<Box<dyn Measurement + '_>> = Vec::new();
    if options.wants("nothing") {
        subjects.push(Box::new(Idle::new(&laboratory, options.program.clone())?));
    }
    if options.wants("apart") {
        subjects.push(Box::new(Apart::new(&laboratory)?));
    }
    if options.wants("transfer") {
        subjects.push(Box::new(Transfer::new(&laboratory)?));
    }
    for _ in 0..options.rounds {
        for subject in &mut subjects {
            wait_for_disk()?;
            subject.round()?;
        }
    }
    let lines: Vec<_> = subjects.iter().flat_map(|subject| subject.lines(Timing::default())).collect();
    table::print(&lines);
    Ok(())
}
