//! Sessions and subscriptions, in process and with daemons that a test makes up.

mod fake_daemon;
mod leaks;
mod session;
mod small_world;

#[cfg(feature = "async")]
mod async_session;
