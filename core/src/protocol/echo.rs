//! What a command printed, left with the daemon, to be printed again while nothing that it rests on has changed.
//!
//! What is printed is the client's business: to the daemon it is a text under a key. It says on what that rests.

use serde::{Deserialize, Serialize};

use super::bytes::ByteText;
use super::request::{List, RepositoryName};

/// Leaves what a command printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remember {
    /// All that decides what the command prints but files; it is found by this.
    pub key: String,
    /// What was printed.
    pub text: String,
    /// The repository that was asked about.
    pub repository: RepositoryName,
    /// What was asked.
    pub question: List,
    /// When the command began, in milliseconds since 1970: what changed since then may have been read before or after.
    pub began: u64,
    /// Other files that it rests on, by their absolute paths: settings, and whatever decides which repository is meant.
    pub files: Vec<ByteText>,
}
