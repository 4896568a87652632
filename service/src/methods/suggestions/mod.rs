//! The methods that apply suggestions and patches, one file each.

pub(crate) mod apply;
pub(crate) mod apply_write;
pub(crate) mod patch;
pub(crate) mod undo;
