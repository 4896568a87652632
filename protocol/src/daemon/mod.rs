//! Requests to the daemon itself, and the events that it sends.

pub(crate) mod control;
pub(crate) mod event;
pub(crate) mod hello;
