//! The commands that show threads and what happens to them, one file each.

pub(crate) mod compared_commits;
pub mod diff;
pub(crate) mod events;
pub mod list;
pub mod log;
pub mod show;
pub mod status;
pub mod wait;
pub mod watch;
