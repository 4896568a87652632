//! Brings several states of the notes together, and brings back what one of them lost.

pub(super) mod heal;
pub(super) mod leave_out;
pub(super) mod merge_theirs;
pub(super) mod unite;
