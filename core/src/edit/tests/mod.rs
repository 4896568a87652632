//! Cases and laws of edits.

mod cases;
mod laws;
mod wording;
