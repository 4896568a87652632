//! The rooms of the core, from outside: against real repositories and stock git.
//!
//! One binary for all of them, with a folder for each room: every binary links git's whole machinery once more. Only
//! tests that need a process of their own are beside it, and say why.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod anchoring;
mod comments;
mod deleted_lines;
mod fuzzed;
mod git;
mod notes;
mod record;
mod review;
