//! What the system counts of a process: a daemon, or a language server.

use std::fs;

use crate::BenchResult;

/// What the system counts of a process.
pub struct Counted {
    /// How often its threads gave up the processor to wait, and so were woken.
    pub wakes: u64,
    /// Hundredths of a second on a processor.
    pub ticks: u64,
}

impl Counted {
    /// Counts those of a process, by its id.
    pub fn of(process: u32) -> BenchResult<Self> {
        let mut wakes = 0;
        for thread in fs::read_dir(format!("/proc/{process}/task"))? {
            let status = fs::read_to_string(thread?.path().join("status"))?;
            wakes += number(&status, "voluntary_ctxt_switches:");
        }
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = fields.iter().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
        Ok(Self { wakes, ticks })
    }
}

/// A number in the `status` of a process.
fn number(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default()
}

/// How many bytes of memory a process has for itself, beside what it shares with others that run the same program.
pub fn own_memory(process: u32) -> BenchResult<u64> {
    let map = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    Ok((number(&map, "Private_Clean:") + number(&map, "Private_Dirty:")) * 1024)
}

/// How many bytes of memory a process has.
pub fn memory(process: u32) -> BenchResult<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    Ok(number(&status, "VmRSS:") * 1024)
}
