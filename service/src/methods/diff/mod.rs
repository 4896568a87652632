//! A diff with threads: which files differ, which of their lines are shown, and what is known of each.

mod commits;
mod comparisons;
mod file;
mod files;
mod sides;
mod size;
mod words;

pub(crate) use comparisons::KnownComparisons;
pub(crate) use files::diff;
