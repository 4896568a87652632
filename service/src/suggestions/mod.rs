//! Suggested changes: made, followed and planned.

pub(crate) mod applied_commits;
pub(crate) mod named_suggestions;
pub(crate) mod patch_conflicts;
pub(crate) mod planned_files;
pub(crate) mod status;
pub(crate) mod suggest;
