//! Changes that comments suggest: how they are made, and what becomes of them while the code moves on.
//!
//! Texts and records in, edits out. No file is read or written here, and where a comment is, whether its thread is
//! resolved and what has become of its suggestion are three separate things: this room knows the last one alone.

mod already_done;
mod block;
mod carry;
mod changes_since;
mod combine;
mod conflict_marks;
mod fate;
#[cfg(test)]
mod laws;
mod line_ends;
mod make;
mod moved_lines;
mod put_back;
mod replace_lines;
mod three_way;
mod written_lines;

pub use block::Block;
pub use carry::{CarriedEdit, SuggestionConflict, carry};
pub use changes_since::changes_since;
pub use combine::{CombinedFile, CombinedSuggestions, Overlap};
pub use conflict_marks::MarkedSection;
pub use fate::{CurrentFile, FileFate, Refusal, RemainingChange, edit_of, fate_of};
pub use make::{BaseFile, MakeError, suggested_files};
pub use put_back::put_back;
pub use replace_lines::{bytes_of, replace, whole_file};
pub use three_way::merge_with_marks;
pub use written_lines::written_lines;
