//! Compares two versions of the work of a review.

pub(super) mod interdiff;
pub(super) mod patches;
pub(super) mod since_hunks;
pub(super) mod since_verdict;
mod work_files;
