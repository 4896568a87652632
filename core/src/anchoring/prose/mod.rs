//! Quotes of rendered prose: made from a selection, and found again in a later text.
//!
//! Pure text in, a place or none out. Rendering is `edit::markdown`'s work; which lines a source
//! range touches, and which state of a position follows, is decided by whoever asks.
//!
//! The search, in order of what it believes: the same words, literally or but for white space,
//! quote marks and dashes; then similar words, with a floor and a margin over the runner-up. Several
//! places are told apart by what stands around them, then by their headings, then by how near they
//! are to where the quote is expected; what still ties is not placed.

mod align;
mod choose;
mod context;
mod document;
mod find;
mod floor;
mod near;
mod normal;
mod occurrences;
mod quote;
mod same;
mod shingles;

pub use document::{Document, DocumentError};
pub use find::{Expected, Found, Likeness, Prose};
pub use quote::{CONTEXT_CHARS, MAX_QUOTE_BYTES, QuoteError, quote};

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
