//! Writes objects and refs so that they survive `kill -9` and a power cut, while any git may run at the same time.
//!
//! The order is always the same: take the writer's lock, put the objects on disk ([`store_objects`]), then move the ref
//! ([`ref_update`]). What is written, and what to do if somebody else was faster, is decided by the caller.

mod damaged_object;
pub(super) mod deflate;
pub(super) mod durable_files;
mod git_gc;
mod kept_objects;
mod lockfile;
pub(super) mod loose_writer;
mod pack_index;
mod pack_writer;
mod packed_refs;
pub(super) mod patience;
pub(super) mod ref_update;
pub(super) mod reflog;
mod state_file;
pub(super) mod store_objects;
mod sync_pool;
pub(super) mod writer_lock;
