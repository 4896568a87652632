//! Where comments are.

pub(crate) mod applied;
pub(crate) mod overlay;
pub(crate) mod positions_at;
