//! Runs the measurements of agents, and prints their table.

use super::{batch, starting, waking};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table;

const ROUNDS: usize = 25;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    let laboratory = Laboratory::new()?;
    let mut lines = Vec::new();
    if options.wants("start") {
        lines.extend(starting::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("wait") {
        lines.extend(waking::measure(&laboratory, &options.program, options.rounds)?);
    }
    if options.wants("batch") {
        lines.extend(batch::measure(&laboratory, &options.program, options.rounds)?);
    }
    table::print(&lines);
    Ok(())
}
