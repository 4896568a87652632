//! Folds records into threads and reviews.

pub(super) mod change_history;
pub(super) mod comment;
mod copies;
pub(super) mod fact;
mod fold;
pub(super) mod key;
#[cfg(test)]
mod laws;
pub(super) mod prefixes;
pub(super) mod proposal;
pub(super) mod records_by_kind;
pub(super) mod review;
pub(super) mod review_group;
mod sorted_by_id;
#[cfg(test)]
pub(super) mod story;
pub(super) mod text_edits;
pub(super) mod thread;
mod thread_roots;
pub(super) mod threads;
pub(super) mod timeline;
