//! Watches repositories and keeps their review notes whole.
//!
//! The shell around `postil-core`: signals, file system events and logging live here, and nothing that is true
//! without a process. It never touches HEAD, the index, the work tree, branches or the user's configuration.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod clients;
mod events;
#[cfg(test)]
mod fixture;
mod housekeeping;
mod hub;
mod process;
mod repository;
mod run;
mod sharing;
mod single_flight;
mod watched_repository;
mod watching;

pub use answers::Answers;
pub use process::malloc_trim::trim as give_back_memory;
pub use run::{RunError, RunMode, run};
pub use watching::registry::known_repositories;
