//! The application: a request, who asks and the time in, an answer out.
//!
//! No socket and no clock: the same function answers in the daemon and in a client that runs without one. Only where a
//! program is started that git would start (`trust`, `transport`), its environment and a limit of its time count.
//! It is called by many threads at once. Connections, events and watching are for others to add.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod actor;
mod apply;
mod basis;
mod cache_sweep;
mod changes;
pub mod child;
mod comment_history;
mod fault;
mod files;
pub mod formats;
mod heard;
mod import;
mod lists;
mod methods;
mod names;
mod notes_delta;
mod notes_index;
mod person;
mod pointing;
mod positions;
mod repository;
mod request;
mod reviews;
mod service;
mod severity;
pub mod sharing;
mod stamp;
mod suggestions;
pub mod transport;
pub mod trust;
mod view;
mod work_tree;
mod writing;

pub use lists::list_cache::{JsonText, written};
pub use person::{committer, person};
pub use repository::{Healed, ServiceOptions};
pub use service::Service;
pub use stamp::Stamp;
pub use writing::sign::{NotSigned, Signed, Signer};
