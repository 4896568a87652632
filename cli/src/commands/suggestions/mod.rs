//! The commands about suggested changes, one file each, and how a plan is written.

pub mod apply;
pub mod patch;
pub mod suggest;
pub(crate) mod write_plan;
