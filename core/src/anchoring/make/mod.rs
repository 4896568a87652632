//! Makes anchors out of what a person points at: lines, or words on a page.

pub(super) mod lines;
pub(super) mod words;
