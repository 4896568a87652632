//! Purges: hides records everywhere, and keeps what purges removed for a while.

pub(super) mod purge;
pub(super) mod purged_backup;
pub(super) mod restore_purged;
