//! The methods that write comments or change them, one file each.

pub(crate) mod answer;
pub(crate) mod batch;
mod batch_key;
pub(crate) mod comment;
pub(crate) mod edit;
pub(crate) mod move_to;
pub(crate) mod propose;
pub(crate) mod publish;
pub(crate) mod purge;
pub(crate) mod reply;
pub(crate) mod resolve;
pub(crate) mod withdraw;
