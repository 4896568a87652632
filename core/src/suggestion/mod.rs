//! Changes that comments suggest: how they are made, and what becomes of them while the code moves on.
//!
//! Texts and records in, edits out. No file is read or written here, and where a comment is, whether its thread is
//! resolved and what has become of its suggestion are three separate things: this room knows the last one alone.

mod block;
mod carry;
mod fate;
#[cfg(test)]
mod laws;
mod line_ends;
mod lines;
mod make;
mod marks;
mod moved;
mod restored;
mod since;
mod stands;
mod three_way;
mod together;
mod written;

pub use block::Block;
pub use carry::{Carried, Meeting, carry};
pub use fate::{FileFate, Left, Refusal, Standing, edit_of, fate_of};
pub use lines::{bytes_of, replace, whole_file};
pub use make::{BaseFile, MakeError, suggested_files};
pub use marks::Between;
pub use restored::put_back;
pub use since::since;
pub use three_way::merge_with_marks;
pub use together::{Overlap, Planned, Together};
pub use written::written;
