//! Takes over what others wrote elsewhere.

pub(crate) mod archive;
pub(crate) mod importing;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod read_files;
