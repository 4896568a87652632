//! Clients that are connected: the handshake, their requests, their subscriptions.

pub(crate) mod connection;
pub(crate) mod handshake;
pub(crate) mod line_reader;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod subscriptions;
