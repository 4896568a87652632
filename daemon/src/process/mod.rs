//! The process itself: its log, its memory, its signals, and the service manager that may have started it.

pub(crate) mod log;
pub(crate) mod malloc_trim;
pub(crate) mod memory;
pub(crate) mod sd_notify;
pub(crate) mod signals;
