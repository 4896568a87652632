//! What each command does, one file each: its words, and its run.

mod change;
mod choose;
mod compared;
mod context;
mod editor;
mod events;
mod kept;
mod location;
mod message;
mod number;
mod paths;
mod reword;
mod writing;

pub mod apply;
pub mod comment;
pub mod completions;
pub mod daemon;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod edit;
pub mod export;
pub mod hook;
pub mod import;
pub mod init;
pub mod list;
pub mod log;
pub mod man;
pub mod move_to;
pub mod patch;
pub mod publish;
pub mod purge;
pub mod reopen;
pub mod reply;
pub mod resolve;
pub mod review;
pub mod show;
pub mod status;
pub mod suggest;
pub mod sync;
pub mod wait;
pub mod watch;
pub mod withdraw;

pub use context::Context;
