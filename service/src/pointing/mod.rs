//! What a person points at, as an anchor.

pub(crate) mod deleted_lines;
pub(crate) mod message;
pub(crate) mod point;
pub(crate) mod similar_names;
pub(crate) mod uncommitted;
pub(crate) mod uncommitted_lines;
