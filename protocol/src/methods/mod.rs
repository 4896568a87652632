//! The parameters and answers of the service's methods.

pub(crate) mod batch;
pub(crate) mod buffer;
pub(crate) mod changes;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod list;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod review_ready;
pub(crate) mod review_since;
pub(crate) mod stats;
pub(crate) mod suggestion;
pub(crate) mod sync;
