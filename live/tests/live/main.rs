//! Documents that somebody edits, without any editor: what a thread shows after each change, before and after an answer.

mod answers;
mod edits;
mod sample;
