//! Notices a `git gc` that is running.
//!
//! It lists what the refs reach, and later removes what was not on that list. With `--prune=now` this includes loose
//! objects that were written in between, also if a ref reaches them by now. It removes no pack that came in between.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::git::Repository;

/// The file that `git gc` has while it runs.
const FILE: &str = "gc.pid";

/// Git itself takes an older file for one of a process that died.
const STALE: Duration = Duration::from_hours(12);

impl Repository {
    /// Whether a `git gc` is running.
    ///
    /// One that began before a ref moved, and did not see the move, is seen here after the move until it ends. A
    /// `git prune` that somebody starts by hand has no such file.
    pub fn is_collecting(&self, now: SystemTime) -> bool {
        let file = fs::metadata(self.common_dir().join(FILE));
        file.and_then(|file| file.modified()).is_ok_and(|began| began + STALE > now)
    }
}
