//! The entries of trees, and how two trees differ.

mod diff;
mod walk;

pub use diff::{
    Subtrees, TreeChange, TreeDamage, TreeDiff, TreeEntry, TreeLimits, TreeListing, diff, diff_within,
    entry_at, list,
};
