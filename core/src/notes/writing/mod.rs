//! Writes notes: one writer at a time takes the lock, checks the tip, makes a commit and moves the refs.

pub(super) mod addition;
pub(super) mod batch;
mod commit;
pub(super) mod committer;
pub(super) mod home;
pub(super) mod lost_tips;
pub(super) mod memory_objects;
mod rebuild;
pub(super) mod ref_backup;
mod skip_history;
pub(super) mod write_positions;
pub(super) mod write_session;
