//! A number for a value, to tell it from others; for what this process and its clients remember, never for the disk.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher as _};

/// A number that is the same for the same value, in one version of the program.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
