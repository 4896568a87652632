//! The Model Context Protocol over standard input and output, by hand: lines, messages, revisions, and the loop.
//!
//! Nothing here knows what a review is. What can be called is behind `Toolbox`, so that a library can take the place of
//! this folder (docs/decisions/0024).

pub(crate) mod calls;
pub(crate) mod era;
pub(crate) mod lines;
pub(crate) mod message;
pub(crate) mod outlet;
pub(crate) mod server;
pub(crate) mod toolbox;
