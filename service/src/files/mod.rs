//! The files of a head.

pub(crate) mod buffers;
pub(crate) mod changed;
pub(crate) mod disk;
pub(crate) mod encoding;
pub(crate) mod head_files;

pub(crate) use buffers::Buffers;
pub(crate) use head_files::{HeadEntry, HeadFile, HeadFiles, read_blob};
