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
    /// What is checked out could not be found out.
    #[error("could not read what is checked out")]
    Head {
        /// What git says.
        source: gix::Error,
    },
    /// A branch that was named is neither here nor on a remote, or a base leads to no commit here.
    #[error("there is no branch {name}")]
    NoSuchBranch {
        /// Its full name.
        name: String,
    },
    /// No base was named, and there is none that is usual.
    #[error("there is nothing to compare with: the remote has no HEAD, and there is no main or master")]
    NoBase,
    /// The branch is to be compared with itself.
    #[error("{name} cannot be compared with itself")]
    OwnBase {
        /// The branch.
        name: String,
    },
    /// Nothing is checked out that has a name, and no branch was named.
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
        /// What git says.
        source: gix::Error,
    },
    /// The record cannot be made.
    #[error("the review cannot be stored")]
    Record(#[from] RecordError),
}
