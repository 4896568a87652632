//! The commands that show threads and what happens to them, one file each.

pub(crate) mod compact;
pub(crate) mod compared_commits;
pub mod diff;
pub(crate) mod events;
pub(crate) mod git_diff;
pub(crate) mod git_diff_options;
pub mod inbox;
pub mod list;
pub mod log;
mod no_match;
mod read_ahead;
pub mod show;
pub mod stats;
pub mod status;
pub mod wait;
mod wait_filter;
pub mod watch;
