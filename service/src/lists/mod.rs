//! Which threads a list has, in which order, and lists that are kept.

pub(crate) mod answer_size;
pub(crate) mod filter;
pub(crate) mod line_texts;
pub(crate) mod list_cache;
pub(crate) mod listed_threads;
pub(crate) mod order;
pub(crate) mod pathspec;
pub(crate) mod unread;
pub(crate) mod visible;
