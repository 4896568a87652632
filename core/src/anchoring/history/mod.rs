//! Follows a region from its commit to a head, over the commits between the two.

pub(super) mod commit_range;
pub(super) mod file_steps;
pub(super) mod folders;
pub(super) mod follow;
pub(super) mod same_change;
pub(super) mod start;
pub(super) mod to_head;
pub(super) mod trail;
