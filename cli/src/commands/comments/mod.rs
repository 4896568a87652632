//! The commands that write comments or change them, one file each.

pub mod answer;
pub(crate) mod batch;
pub mod comment;
pub mod edit;
pub mod move_to;
pub mod propose;
pub mod publish;
pub mod purge;
pub mod reopen;
pub mod reply;
pub mod resolve;
pub mod withdraw;
