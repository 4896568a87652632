//! Comments of every kind, stored and found again together: on lines of both sides, on words, on files.
//!
//! How deleted lines fare in each kind of rewrite is `deleted_lines`' subject.

mod kept;
mod mixed;
mod page;
mod stories;
mod words;
