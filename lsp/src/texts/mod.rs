//! Texts that somebody writes in a file, for editors that have no box for text.

pub(crate) mod entry;
pub(crate) mod text_files;
