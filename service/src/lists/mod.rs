//! Which threads a list has, in which order, and lists that are kept.

pub(crate) mod chosen;
pub(crate) mod filter;
pub(crate) mod line_texts;
pub(crate) mod list_cache;
pub(crate) mod order;
pub(crate) mod page;
pub(crate) mod pathspec;
pub(crate) mod visible;
