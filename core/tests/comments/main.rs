//! Comments of every kind, stored and found again together: on lines of both sides, on words, on files.
//!
//! How deleted lines fare in each kind of rewrite is `deleted_lines`' subject.

#[path = "../deleted_lines/change.rs"]
#[allow(dead_code, reason = "the stories of the other binary use the rest")]
mod change;
#[path = "../support/mod.rs"]
mod support;

mod kept;
mod mixed;
mod page;
mod stories;
mod words;
