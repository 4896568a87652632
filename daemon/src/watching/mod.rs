//! What there is to see of a repository on disk, and how the daemon notices that it changed.

pub(crate) mod folder_times;
pub(crate) mod ref_snapshot;
pub(crate) mod registry;
pub(crate) mod repository_paths;
pub(crate) mod watches;
