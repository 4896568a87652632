//! Finds the place of each hunk in a text, and turns it into replacements of bytes.

pub(super) mod align;
pub(super) mod applied_before;
pub(super) mod candidates;
pub(super) mod indent;
pub(super) mod insertion;
pub(super) mod ladder;
pub(super) mod line;
pub(super) mod line_changes;
pub(super) mod target_text;
