//! What happened since a mark: what was said, and what is elsewhere now.

pub(crate) mod changed_positions;
pub(crate) mod earlier_positions;
pub(crate) mod mark;
pub(crate) mod records_since;
pub(crate) mod reported_positions;
pub(crate) mod topic;
pub(crate) mod visible_before;
