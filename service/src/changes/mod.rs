//! What happened since a mark: what was said, and what is elsewhere now.

pub(crate) mod earlier;
pub(crate) mod mark;
pub(crate) mod places;
pub(crate) mod places_seen;
pub(crate) mod records_since;
pub(crate) mod seen_before;
pub(crate) mod topic;
