//! Where the daemon of a user is found, and who may be it.
//!
//! Folders, locks and addresses, for the daemon and for its clients alike. What is said over the socket is the
//! protocol's business.

mod activation;
mod claim;
mod error;
mod folder;
mod place;

pub use activation::passed;
pub use claim::{Claim, Owner, claim};
pub use error::SocketError;
pub use place::Place;
