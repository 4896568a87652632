//! Which file is which between two trees, and what may be searched in a file.

pub(super) mod bypass;
pub(super) mod file_pair;
pub(super) mod fingerprint;
pub(super) mod renames;
pub(super) mod same_file;
