//! Cases and laws of patches as a whole.

mod applied_cases;
pub(super) mod cases;
mod insertion_cases;
mod laws;
mod whole_cases;
