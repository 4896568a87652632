//! For extensions that show threads themselves: where threads are, message by message, and every question that the
//! service answers. No plain editor needs this.

pub(crate) mod ask;
pub(crate) mod bodies;
pub(crate) mod told_threads;
