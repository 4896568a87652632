//! Runs all measurements of the daemon, and prints their table.

use super::{changes, comments, idle, lists, moves, races};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table;

const ROUNDS: usize = 50;

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    let mut lines = Vec::new();
    if options.wants("moves") {
        lines.extend(moves::measure(&Laboratory::new()?, &options.program, options.rounds)?);
    }
    if options.wants("lists") {
        lines.extend(lists::measure(&Laboratory::new()?, &options.program, options.rounds)?);
    }
    if options.wants("comments") {
        lines.extend(comments::measure(&Laboratory::new()?, &options.program, options.rounds)?);
    }
    if options.wants("changes") {
        lines.extend(changes::measure(&Laboratory::new()?, &options.program, options.rounds)?);
    }
    // Only if somebody asks for it by name: the rounds are writes, and there should be thousands.
    if options.wants_by_name("races") {
        lines.extend(races::measure(&Laboratory::new()?, &options.program, options.rounds)?);
    }
    if options.wants("idle") {
        lines.extend(idle::measure(&Laboratory::new()?, &options.program, options.idle_seconds)?);
    }
    table::print(&lines);
    Ok(())
}
