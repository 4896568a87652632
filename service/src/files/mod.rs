//! The files of a head.

pub(crate) mod around;
pub(crate) mod contents;
pub(crate) mod disk;
pub(crate) mod encoding;
