//! What agents wait for: the start of their server, somebody else's act, and many comments at once.

mod batch;
mod run;
mod server;
mod starting;
mod waking;

pub use run::run;
