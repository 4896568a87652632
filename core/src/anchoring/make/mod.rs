//! Makes anchors out of what a person points at: lines, words on a page, or lines of a commit's message.

pub(super) mod lines;
pub(super) mod message;
pub(super) mod words;
