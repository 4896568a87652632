//! The events that anchoring reports.
//!
//! A binary of its own: a thread without a subscriber that comes upon an event first turns it off for the whole process.
//! For the same reason, one test waits for the other.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod searches;
mod stopping;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps the other tests of this binary from reaching any event.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
