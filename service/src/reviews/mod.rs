//! Reviews and their branches.

pub(crate) mod follow_up;
pub(crate) mod ready;
pub(crate) mod ready_rule;
pub(crate) mod ready_verdicts;
pub(crate) mod review;
pub(crate) mod to_judge;
