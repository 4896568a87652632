//! What the system counts of a daemon.

use std::fs;

use super::served::Daemon;
use crate::BenchResult;

/// What the system counts of a process.
pub struct Counted {
    /// How often its threads gave up the processor to wait, and so were woken.
    pub wakes: u64,
    /// Hundredths of a second on a processor.
    pub ticks: u64,
}

impl Counted {
    pub fn of(daemon: &Daemon) -> BenchResult<Self> {
        let mut wakes = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", daemon.pid()))? {
            let status = fs::read_to_string(thread?.path().join("status"))?;
            wakes += number(&status, "voluntary_ctxt_switches:");
        }
        let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.pid()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = fields.iter().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
        Ok(Self { wakes, ticks })
    }
}

/// A number in the `status` of a process.
pub fn number(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default()
}
