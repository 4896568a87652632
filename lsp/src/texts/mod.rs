//! Texts that somebody writes in a file, for editors that have no box for text.

pub(crate) mod entry;
pub(crate) mod left_behind;
pub(crate) mod marker;
pub(crate) mod text_files;
