//! Syncs the reviews of several repositories, through any remote that git works with.
//!
//! Decides what is fetched, merged and sent, and in which order. The user's own git moves the bytes ([`Transport`]);
//! merging two stores is `notes`' work.

mod error;
mod exchange;
mod record_counts;
mod remote;
mod transport;

pub use error::SyncError;
pub use exchange::{ExchangeDirection, Exchanged, FilesToSend, MAX_TRIES, Sent, exchange};
pub use record_counts::RecordCounts;
pub use remote::{Remote, RemoteError};
pub use transport::{Fetched, Pushed, Transport, TransportError};
