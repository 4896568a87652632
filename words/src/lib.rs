//! What every client does with words before it shows them, whatever it shows them on.
//!
//! No client's own words are here, no colours and no screens.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod block;
pub mod sanitize;
pub mod unseen;
