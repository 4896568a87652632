//! Reads patches: unified diffs, search/replace blocks, and the form that begins with `*** Begin Patch`.

pub(super) mod begin_end;
pub(super) mod fence;
pub(super) mod form;
pub(super) mod header;
pub(super) mod outdent;
pub(super) mod search_replace;
pub(super) mod unified;
