//! Why notes could not be read or written.

use std::path::PathBuf;

use super::refs::NOTES;
use crate::git::tree::TreeDamage;
use crate::git::{BlobId, ObjectId, OpenError, ReadError, RefError, TreeId, WriteError};

/// Why notes could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NotesError {
    /// A tree is missing or damaged.
    #[error("could not read the tree {tree_id} of the notes")]
    ReadTree {
        /// The tree.
        tree_id: TreeId,
        /// What git reported.
        source: gix::Error,
    },
    /// A part of the notes tree cannot be read.
    #[error("the notes tree {tree_id} is damaged: {damage}")]
    Damaged {
        /// The tree.
        tree_id: TreeId,
        /// What is wrong with it.
        damage: TreeDamage,
    },
    /// A note's blob is missing or damaged.
    #[error("could not read the note {note_blob_id}")]
    ReadNote {
        /// The blob.
        note_blob_id: BlobId,
        /// What git reported.
        source: gix::Error,
    },
    /// An object of the notes' history is missing or damaged.
    #[error("could not read the history of the notes")]
    Read(#[from] ReadError),
    /// An object could not be read and is in this repository all the same.
    #[error("could not read {id}, although it exists; `git gc` may be running, so try again")]
    OutOfSight {
        /// The object.
        id: ObjectId,
    },
    /// Somebody has begun a `git notes merge` of the notes and not finished it.
    #[error("a `git notes merge` of {NOTES} is not finished in {}", git_dir.display())]
    MergeOpen {
        /// The git directory of the working tree where it was begun.
        git_dir: PathBuf,
    },
    /// The repository could not be opened again.
    #[error("could not reload the configuration")]
    Open(#[from] OpenError),
    /// A ref could not be read or moved.
    #[error("could not move the notes ref")]
    Ref(#[from] RefError),
    /// Objects could not be put on disk.
    #[error("could not write the notes to disk")]
    Write(#[from] WriteError),
    /// A blob that is to be kept is not in this repository.
    #[error("cannot keep the blob {blob_id}: it is not in this repository")]
    NoSuchBlob {
        /// The blob.
        blob_id: BlobId,
    },
    /// A purge names nothing that is stored.
    #[error("nothing to purge: there is no such record in this repository")]
    NothingToPurge,
    /// The new tree could not be made.
    #[error("could not create the new notes tree")]
    WriteTree {
        /// What git reported.
        source: gix::Error,
    },
}

impl NotesError {
    /// Whether it is about an object that could not be read, and may be found if searched again.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Read(_)
                | Self::ReadTree { .. }
                | Self::Damaged { damage: TreeDamage::Unreadable { .. }, .. }
                | Self::ReadNote { .. }
                | Self::Write(WriteError::Introduced { .. })
        )
    }

    /// Whether the reason may be that a part of the notes tree is missing or damaged.
    pub(super) fn may_lack_trees(&self) -> bool {
        matches!(
            self,
            Self::Read(_)
                | Self::ReadTree { .. }
                | Self::Damaged { .. }
                | Self::WriteTree { .. }
                | Self::Write(_)
        )
    }

    pub(super) fn write_tree(source: impl Into<gix::Error>) -> Self {
        Self::WriteTree { source: source.into() }
    }
}
