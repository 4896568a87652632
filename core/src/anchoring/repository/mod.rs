//! Reads commits, trees and blobs, and keeps what was read for the rest of the batch.

pub(super) mod memo;
pub(super) mod objects;
pub(super) mod tree_differences;
pub(super) mod tree_reader;
