//! Follows the branches of reviews: where they are, what they are called now, and whether they were merged.

pub(super) mod branches;
mod branches_before;
pub(super) mod find_merged;
mod find_renamed;
pub(super) mod follow;
mod former_names;
pub(super) mod lineages;
pub(super) mod merge_record;
mod named_heads;
pub(super) mod notice;
pub(super) mod opening;
pub(super) mod rename_record;
pub(super) mod searched_commits;
pub(super) mod touched_paths;
