//! Talks to git repositories: objects, trees, refs and history, with typed ids.
//!
//! What the objects mean to postil is the business of the rooms to the right.

mod id;
mod path;

pub use id::{BlobId, CommitId, ObjectId, TreeId};
pub use path::RepoPath;
