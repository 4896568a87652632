//! Who wants events of a repository, and what waits to be sent to them.

pub(crate) mod outbox;
pub(crate) mod subscribers;
pub(crate) mod watched_files;
