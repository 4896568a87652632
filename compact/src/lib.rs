//! Threads in few words: what agents read on the command line and over MCP.
//!
//! Pure: views of the protocol go in, a [`CompactList`](postil_protocol::CompactList) comes out, which is JSON as it is,
//! or text by [`list_text`]. One thread takes at most 75 tokens as text and 100 as JSON, with two lines of code.
//! No client's commands are named here.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod batch;
mod list;
mod question;
mod text;

pub use batch::batch_text;
pub use list::{CODE_LINES, CompactDetail, compact_changes, compact_list, compact_show, compact_thread};
pub use question::{CompactQuestion, PAGE_BYTES};
pub use text::{DATA_NOTE, author_words, list_text, plain_path, thread_text};
