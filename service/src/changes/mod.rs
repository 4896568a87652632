//! What happened since a mark: what was said, and what is elsewhere now.

pub(crate) mod mark;
pub(crate) mod places;
pub(crate) mod places_seen;
pub(crate) mod said;
pub(crate) mod subject;
pub(crate) mod topic;
