//! The history of commits: walks, merge bases, and what remotes already have.

pub(super) mod lineage;
mod merge_bases;
pub(super) mod published;
mod walk;

pub use walk::{
    CLOCK_SLOP, CommitInfo, CommitsBetween, ReachedCommits, between, between_all, commit, is_ancestor,
    is_cut_off, merge_base, merge_base_of_any, reached,
};
