//! Why a question about reviews could not be answered.

use crate::git::{ObjectId, ReadError, RefError};
use crate::record::RecordError;

/// Why a question about reviews could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// An object is missing or damaged.
    #[error("could not read the history of a review")]
    Read(#[from] ReadError),
    /// The branches could not be listed.
    #[error("could not read the branches")]
    Ref(#[from] RefError),
    /// Could not read what is checked out.
    #[error("could not read HEAD")]
    Head {
        /// What git reported.
        source: gix::Error,
    },
    /// A branch is neither here nor on a remote, or a base has no commit here.
    #[error("no such branch: {name}")]
    NoSuchBranch {
        /// Its full name.
        name: String,
    },
    /// No base was given, and there is no default base.
    #[error("no base to compare with: the remote has no HEAD, and there is no main or master")]
    NoBase,
    /// The branch is to be compared with itself.
    #[error("cannot compare {name} with itself")]
    OwnBase {
        /// The branch.
        name: String,
    },
    /// No branch was given, and none is checked out.
    #[error("no branch is checked out")]
    Detached,
    /// The branch and its base have no commit in common.
    #[error("{branch} has no history in common with {base}")]
    Unrelated {
        /// The branch.
        branch: String,
        /// The base.
        base: String,
    },
    /// A blob is missing or damaged.
    #[error("could not read the file {blob_id}")]
    ReadFile {
        /// The blob.
        blob_id: ObjectId,
        /// What git reported.
        source: gix::Error,
    },
    /// The record cannot be made.
    #[error("could not store the review")]
    Record(#[from] RecordError),
}
