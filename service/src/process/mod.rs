//! Programs that the service starts, and what they write.

pub mod child;
pub(crate) mod child_output;
