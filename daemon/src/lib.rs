//! Watches repositories and keeps their review notes whole.
//!
//! The shell around `postil-core`: signals, file system events and logging live here, and nothing that is true
//! without a process. It never touches HEAD, the index, the work tree, branches or the user's configuration.
//!
//! ```text
//! wake ─► stop ─► watch ─► repository ─► attend ─► run
//! ```
//!
//! Today it attends to one repository's notes ref until a signal ends it.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod attend;
mod repository;
mod run;
pub mod socket;
mod stop;
mod wake;
mod watch;

pub use attend::AttendError;
pub use repository::RepositoryError;
pub use run::run;
