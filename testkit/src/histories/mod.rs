//! Random histories in which every line has an identity, for the laws of anchoring.

pub mod rewriting;
pub mod story;
