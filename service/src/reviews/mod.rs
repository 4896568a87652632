//! Reviews and their branches.

pub(crate) mod follow_up;
pub(crate) mod review;
pub(crate) mod to_judge;
