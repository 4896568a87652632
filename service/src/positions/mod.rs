//! Where comments are.

pub(crate) mod applied;
pub(crate) mod claim_report;
pub(crate) mod claims;
pub(crate) mod drift;
pub(crate) mod in_files;
pub(crate) mod in_head;
pub(crate) mod messages;
pub(crate) mod overtaken;
pub(crate) mod positions_at;
