//! Reads packs faster than gix does, and remembers what was read.
//!
//! Only shortcuts: whatever is not found here, or looks wrong, is left to gix.

pub(super) mod cruft_packs;
pub(super) mod delta_bases;
pub(super) mod known_objects;
mod open_pack;
pub(super) mod pack_reader;
pub(super) mod small_blobs;
