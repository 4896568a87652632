//! Threads as clients see them.

pub(crate) mod current_lines;
pub(crate) mod current_thread;
pub(crate) mod message_log;
pub(crate) mod passages;
pub(crate) mod signatures;
pub(crate) mod syntax;
pub(crate) mod thread;
pub(crate) mod timeline;
pub(crate) mod withheld;
mod withheld_views;

pub(crate) use crate::convert::hex::hex;
pub(crate) use thread::{
    anchor, asked, counts, line, message, person, place_state, position, position_of, records_of, review,
    review_of, review_status, status, thread, updated, verdict, why,
};
