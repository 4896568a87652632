//! What each command does, one file each: its words, and its run.

mod context;

pub mod agent;
pub(crate) mod comments;
pub mod daemon;
pub mod demo;
pub(crate) mod exchange;
pub(crate) mod input;
pub mod mcp;
pub(crate) mod reading;
pub mod review;
mod review_edit;
mod review_ready;
pub(crate) mod setup;
pub(crate) mod suggestions;
pub mod web;

pub use context::Context;
