//! Brings the reviews of several repositories together, through any remote that git works with.
//!
//! Decides what is fetched, merged and sent, and in which order. Moving the bytes is the user's own git, behind
//! [`Transport`]; how two stores become one is `notes`' work.

mod error;
mod exchange;
mod news;
mod remote;
mod transport;

pub use error::SyncError;
pub use exchange::{Direction, Exchanged, Files, MAX_TRIES, Sent, exchange};
pub use news::News;
pub use remote::{Remote, RemoteError};
pub use transport::{Fetched, Pushed, Transport, TransportError};
