//! The six tools: what each takes, what it asks the service, and what the model reads.

mod arguments;
mod comment;
mod definitions;
mod failing;
mod pages;
mod preview;
mod propose;
pub(crate) mod review_tools;
mod thread;
mod threads;
mod wait;
