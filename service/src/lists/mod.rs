//! Which threads a list has, in which order, and lists that are kept.

pub(crate) mod filter;
pub(crate) mod kept;
pub(crate) mod order;
pub(crate) mod texts;
pub(crate) mod visible;
pub(crate) mod within;
