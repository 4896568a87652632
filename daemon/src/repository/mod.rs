//! The work on one repository: when something is to be done, and doing it.

pub(crate) mod observation;
pub(crate) mod task;
pub(crate) mod work;
