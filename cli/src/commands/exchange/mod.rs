//! The commands that exchange reviews with remotes and other tools, one file each.

pub mod export;
pub mod import;
pub mod sync;
