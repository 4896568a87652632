//! How comments drift: what became of each thread, by folder and over time.
//!
//! Positions are those that a list shows; nothing here decides where a comment is.

mod folders;
mod periods;
mod status_times;
mod thread_drift;

pub(crate) use folders::by_folder;
pub(crate) use periods::{ComparedThread, over_time};
pub(crate) use status_times::status_times;
pub(crate) use thread_drift::{ThreadDrift, count};
