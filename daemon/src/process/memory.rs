//! How much memory this process has in RAM, if the system reports it.

use std::fs;

/// All of it, with the pages of the program itself.
pub(crate) fn resident_bytes() -> Option<u64> {
    of_status("VmRSS:")
}

/// What it has asked for, and has not given back.
pub(crate) fn own_bytes() -> Option<u64> {
    of_status("RssAnon:")
}

fn of_status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
