//! Which threads a list has, in which order, and lists that are kept.

pub(crate) mod filter;
pub(crate) mod list_cache;
pub(crate) mod order;
pub(crate) mod visible;
pub(crate) mod within;
