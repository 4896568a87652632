//! The methods of the service, one file each.
//!
//! Each is a function over the request and the parameters of its method. What several of them need is beside this folder.

pub(crate) mod changes;
pub(crate) mod comments;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod list_text;
pub(crate) mod log;
pub(crate) mod mark_read;
pub(crate) mod review;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod suggestions;
pub(crate) mod sync;
pub(crate) mod write_positions;
