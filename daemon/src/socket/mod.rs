//! Where the daemon of a user is found, and who may be it.
//!
//! Folders, locks and addresses, for the daemon and for its clients alike. What is said over the socket is the
//! protocol's business.

mod activation;
mod claim;
mod dial;
mod environment;
mod error;
mod folder;
mod place;

pub use activation::passed;
pub use claim::{Claim, Owner, claim};
pub use dial::{DialError, Knocking, READY, Start};
pub use environment::of_one_command;
pub use error::SocketError;
pub use place::Place;
