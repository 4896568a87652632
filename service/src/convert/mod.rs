//! Between the types of the core and those of the protocol: ids, severities, errors, who asks.

pub(crate) mod actor;
pub(crate) mod fault;
pub(crate) mod hex;
pub(crate) mod severity;
