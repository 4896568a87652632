//! What records mean together: threads, reviews, and which of their words are in force.
//!
//! A pure fold. The order of the records and how often one comes make no difference; nothing is
//! read from a repository here, and nothing is written.

mod prefixes;

pub use prefixes::{MIN_SHORT_DIGITS, Named, Prefixes, ShortId};
