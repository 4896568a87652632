//! Quotes of rendered prose: made from a selection, and found again in a later text.
//!
//! Pure text in, a place or none out. Rendering is `edit::markdown`'s work; which lines a source
//! range touches, and which state of a position follows, is decided by the caller.
//!
//! The search, in order of what it believes: the same words, literally or but for white space,
//! quote marks and dashes; then similar words, with a floor and a margin over the runner-up. Several
//! places are distinguished by what is around them, then by their headings, then by how near they
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
pub use find::{ExpectedPlace, Prose, QuoteLikeness, QuoteSearchResult};
pub use quote::{CONTEXT_CHARS, MAX_QUOTE_BYTES, QuoteError, quote};

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
