//! Which note a record goes into.

use crate::git::{BlobId, CommitId, ObjectId};
use crate::record::Anchor;

/// A note that is larger gets no new comments: every one of them would write it anew.
pub(super) const MAX_NOTE_BYTES: u64 = 256 << 10;

/// Which note a record goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The note of this object: a thread's root stands there, or a review begins there.
    On(ObjectId),
    /// Where a comment with this anchor goes: the note of the commit, or of the blob where there is
    /// no commit yet or its note is over 256 KiB.
    Anchor {
        /// The commit that was looked at.
        commit: Option<CommitId>,
        /// The blob that was looked at.
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

    /// What carries the note, as long as that of the commit has room.
    pub fn object(self) -> ObjectId {
        match self {
            Self::On(object) => object,
            Self::Anchor { commit: Some(commit), .. } => commit.into(),
            Self::Anchor { commit: None, blob } => blob.into(),
        }
    }
}
