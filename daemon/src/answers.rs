//! What the process needs of the service: one function, and a way to forget.
//!
//! The process knows nothing of comments; whoever answers knows nothing of sockets and threads.

use std::path::Path;

use postil_core::protocol::{Call, Fault, Reply};

/// Answers requests, several at once.
pub trait Answers: Send + Sync + 'static {
    /// Answers one request; blocks for as long as it takes.
    fn answer(&self, call: Call) -> Result<Reply, Fault>;

    /// Gives back all memory of the repository with this common git directory, which may be another one by now.
    fn forget(&self, common_dir: &Path);
}
