//! One repository while the service has it open: what is kept of it, and what shows that it changed.

pub(crate) mod basis;
pub(crate) mod cache_sweep;
pub(crate) mod config_stamp;
pub(crate) mod hash_of;
pub(crate) mod id_list;
pub(crate) mod looked_heads;
pub(crate) mod person;
pub(crate) mod stamp;
pub(crate) mod state;
pub(crate) mod work_tree;
