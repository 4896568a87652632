//! The notes, folded once: comments and reviews by their names, and what changed between two versions.

pub(crate) mod comment_commits;
pub(crate) mod delta;
pub(crate) mod index;
pub(crate) mod kept_purged;
pub(crate) mod names;
pub(crate) mod subject;
