//! A hash of a value, for comparisons within this process and with its clients; it is never stored.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher as _};

/// A number that is the same for the same value, in one version of the program.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
