//! How messages are written: one JSON text per line, JSON-RPC 2.0, bytes that are not UTF-8, errors.

pub(crate) mod bytes;
pub(crate) mod client;
pub(crate) mod fault;
pub(crate) mod frame;
pub(crate) mod list_lines;
pub(crate) mod message;
