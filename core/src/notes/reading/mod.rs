//! Reads notes: the tree, the pages in it, and what changed between two states.

pub(super) mod added_since;
pub(super) mod contents;
pub(super) mod difference;
pub(super) mod note_blobs;
pub(super) mod page_scan;
pub(super) mod pages;
pub(super) mod readable_tip;
pub(super) mod refused;
pub(super) mod snapshot;
