//! What answers and events are made of: threads, reviews, positions.

pub(crate) mod advice;
pub(crate) mod compact;
pub(crate) mod mark;
pub(crate) mod place;
pub(crate) mod proposal;
pub(crate) mod purge;
pub(crate) mod ready;
pub(crate) mod review;
pub(crate) mod severity;
pub(crate) mod signature;
pub(crate) mod syntax;
pub(crate) mod thread;
pub(crate) mod timeline;
pub(crate) mod via;
