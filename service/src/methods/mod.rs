//! The methods of the service, one file each.
//!
//! Each is a function over the request and the parameters of its method. What several of them need is beside this folder.

pub(crate) mod apply;
pub(crate) mod apply_write;
pub(crate) mod changes;
pub(crate) mod comment;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod move_to;
pub(crate) mod patch;
pub(crate) mod publish;
pub(crate) mod purge;
pub(crate) mod reply;
pub(crate) mod resolve;
pub(crate) mod review_change;
pub(crate) mod review_edit;
pub(crate) mod review_list;
pub(crate) mod review_show;
pub(crate) mod review_since;
pub(crate) mod review_start;
pub(crate) mod review_verdict;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod undo;
pub(crate) mod withdraw;
pub(crate) mod write_positions;
