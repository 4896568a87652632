//! Which note a record goes into.

use crate::git::{BlobId, CommitId, ObjectId};
use crate::record::Anchor;

/// A larger note gets no new comments: each of them would write the whole note again.
pub(super) const MAX_NOTE_BYTES: u64 = 256 << 10;

/// Which note a record goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The note of this object, in which the thread's root is, or at which the review begins.
    On(ObjectId),
    /// Where a comment with this anchor goes: the note of the commit, or of the blob if there is no commit yet or its
    /// note is over 256 KiB.
    Anchor {
        /// The commit that the reviewer saw.
        commit: Option<CommitId>,
        /// The blob that the reviewer saw.
        blob: BlobId,
    },
}

impl Home {
    /// Where a comment with `anchor` goes; `None` for an anchor that names neither a commit nor a blob.
    pub fn of_anchor(anchor: &Anchor) -> Option<Self> {
        match (anchor.commit, anchor.blobs().last()) {
            (commit, Some((blob, _))) => Some(Self::Anchor { commit, blob }),
            (Some(commit), None) => Some(Self::On(commit.into())),
            (None, None) => None,
        }
    }

    /// The annotated object, as long as the note of the commit has room.
    pub fn object(self) -> ObjectId {
        match self {
            Self::On(object) => object,
            Self::Anchor { commit: Some(commit), .. } => commit.into(),
            Self::Anchor { commit: None, blob } => blob.into(),
        }
    }
}
