//! The service: repositories, the threads of this process that ask about them, and what the answers change.

pub(crate) mod answers;
mod gone_files;
pub(crate) mod repository;
pub(crate) mod worker;
