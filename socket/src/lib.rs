//! Where the daemon of a user is found, and which process may be it.
//!
//! Folders, locks and addresses, for the daemon and for its clients alike. It knows no runtime. What is said over the
//! socket is the protocol's business, and what to do about an error is for each client to say.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod activation;
mod connect;
mod environment;
mod error;
mod folder;
mod instance;
mod peer;
mod runtime_dirs;
mod start;

pub use activation::passed;
pub use connect::{ConnectError, PendingConnect, Start};
pub use environment::of_one_command;
pub use error::SocketError;
pub use instance::{DaemonInstance, Owner, claim};
pub use runtime_dirs::RuntimeDirs;
pub use start::READY;
