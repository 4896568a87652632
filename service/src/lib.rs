//! The application: a request, who asks and the time in, an answer out.
//!
//! No socket, no clock, no environment: the same function answers in the daemon and in a client that runs without one.
//! It is called by many threads at once. Connections, events and watching are for others to add.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod alike;
mod applied;
mod apply;
mod archive;
mod around;
mod book;
mod caller;
mod compare;
mod contents;
mod desk;
mod disk;
mod doctor;
mod encoding;
mod fates;
mod filter;
mod gone;
mod import;
mod inquire;
mod kept;
mod landing;
mod log;
mod lookout;
mod mark;
mod order;
mod overlay;
mod passages;
mod placing;
mod plan;
mod planned;
mod point;
mod request;
mod review;
mod reword;
mod seat;
mod service;
mod setup;
mod sighted;
mod sign;
mod since;
mod speak;
mod suggest;
mod supplement;
mod sweep;
mod target;
mod texts;
mod trouble;
mod upkeep;
mod view;
mod vouch;
mod way;
mod within;

pub mod child;
pub mod formats;
mod heard;
mod person;
pub mod sharing;
pub mod transport;
pub mod trust;
pub use desk::DeskOptions;
pub use kept::{JsonText, written};
pub use person::{committer, person};
pub use service::Service;
pub use sign::{NotSigned, Signed, Signer};
