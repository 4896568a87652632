//! The application: a request, who asks and the time in, an answer out.
//!
//! No socket and no clock: the same function answers in the daemon and in a client that runs without one. Only if a
//! program is started that git would start (`trust`, `sharing`), its environment and a limit of its time count.
//! It is called by many threads at once. Connections, events and watching are for others to add.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod apply;
mod changes;
mod convert;
mod files;
pub mod formats;
mod import;
mod lists;
mod methods;
mod notes;
mod pointing;
mod positions;
pub mod process;
mod repository;
mod request;
mod reviews;
mod service;
pub mod sharing;
mod suggestions;
pub mod trust;
mod view;
mod writing;

pub use lists::answer_size::MAX_ANSWER_BYTES;
pub use lists::list_cache::{JsonText, written};
pub use repository::person::{committer, person};
pub use repository::stamp::Stamp;
pub use repository::state::{Healed, ServiceOptions};
pub use service::Service;
pub use writing::sign::{NotSigned, Signed, Signer};
