//! Watches repositories and keeps their review notes whole.
//!
//! The shell around `postil-core`: signals, file system events and logging live here, and nothing that is true
//! without a process. It never touches HEAD, the index, the work tree, branches or the user's configuration.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod attend;
mod attended;
mod audience;
mod connection;
#[cfg(test)]
mod fixture;
mod flight;
mod glance;
mod greet;
mod hub;
mod lines;
mod log;
mod look;
mod named;
mod outbox;
mod registry;
mod run;
mod server;
mod sharing;
mod signals;
mod status;
mod subscriptions;
mod supervisor;
mod survey;
mod tick;
mod trim;
mod watch;
mod watched_files;
mod work;

pub use answers::Answers;
pub use run::{Manner, RunError, run};
