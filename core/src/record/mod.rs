//! What is stored for ever: immutable facts, their bytes and their ids.
//!
//! `docs/format.md` specifies this room. Where records stand in a repository is `notes`' work,
//! and what they mean together is `review`'s.

mod anchor;
mod bounds;
mod span;

pub use anchor::{Anchor, Line, Old, Quote, Side};
pub use bounds::{CONTEXT_LINES, MAX_ANCHOR_LINES, MAX_BODY_BYTES, MAX_LINE_BYTES, MAX_PATH_BYTES};
pub use span::{Columns, LineSpan, Range};
