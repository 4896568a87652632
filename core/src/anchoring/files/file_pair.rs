//! The file of an anchor in its old and its new version, beside each other.
//!
//! Comments of one file are located one after the other: what they all need is looked up once. Nothing is judged here.

use std::sync::Arc;

use crate::edit::{LineMap, Text};
use crate::git::{BlobId, RepoPath, TreeId};

use super::bypass::{self, SearchScope};
use crate::anchoring::repository::objects::{ObjectError, Objects};

/// Two versions of a file, and what may be done in the new one.
pub(crate) struct FilePair {
    blobs: (BlobId, BlobId),
    head: TreeId,
    path: RepoPath,
    /// The old version.
    pub old: Arc<Text>,
    /// The new version.
    pub new: Arc<Text>,
    /// Which line of the one is which of the other.
    pub map: Arc<LineMap>,
    /// What may be done in the new version, which is in the head.
    pub search: SearchScope,
}

impl FilePair {
    /// Reads the two versions of the file at `path`; the second one is the head's.
    pub fn new(
        objects: &Objects,
        (old, new): (BlobId, BlobId),
        head: TreeId,
        path: &RepoPath,
    ) -> Result<Self, ObjectError> {
        let text = objects.text(new)?;
        let search = bypass::search_in(objects, head, path, &text)?;
        let (blobs, map) = ((old, new), objects.map(old, new)?);
        Ok(Self { blobs, head, path: path.clone(), old: objects.text(old)?, new: text, map, search })
    }

    /// Whether it is of these versions of this file.
    pub fn is_of(&self, blobs: (BlobId, BlobId), head: TreeId, path: &RepoPath) -> bool {
        self.blobs == blobs && self.head == head && self.path == *path
    }
}
