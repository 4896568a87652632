//! What one text says by itself: runs of lines, statements, blocks, words, conflict markers.
//!
//! Nothing here compares two versions of a file.

pub(super) mod conflict_markers;
pub(super) mod own_words;
pub(super) mod region;
pub(super) mod scope;
pub(super) mod statement;
pub(super) mod word_filter;
