//! The commands that set postil up, one file each.

pub mod completions;
pub mod doctor;
pub mod hook;
pub mod init;
pub mod lsp;
pub mod man;
