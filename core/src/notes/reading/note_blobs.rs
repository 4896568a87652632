//! The blobs that one note consists of.
//!
//! Nearly always one: a set for each note would take most of the memory of a store's list.

use std::slice;

use crate::git::BlobId;

/// Blobs, each once, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::notes) struct NoteBlobs(Vec<BlobId>);

impl NoteBlobs {
    pub fn one(blob: BlobId) -> Self {
        // A list of one, without room for more.
        Self(vec![blob])
    }

    /// Adds a blob, unless it is there already.
    pub fn insert(&mut self, blob: BlobId) {
        if self.0.is_empty() {
            self.0.reserve_exact(1);
        }
        if let Err(at) = self.0.binary_search(&blob) {
            self.0.insert(at, blob);
        }
    }

    /// Those that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        Self(self.iter().filter(|blob| other.0.binary_search(blob).is_err()).copied().collect())
    }

    pub fn first(&self) -> Option<BlobId> {
        self.0.first().copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> slice::Iter<'_, BlobId> {
        self.0.iter()
    }
}

impl Extend<BlobId> for NoteBlobs {
    fn extend<T: IntoIterator<Item = BlobId>>(&mut self, blobs: T) {
        blobs.into_iter().for_each(|blob| self.insert(blob));
    }
}

impl IntoIterator for NoteBlobs {
    type Item = BlobId;
    type IntoIter = std::vec::IntoIter<BlobId>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a NoteBlobs {
    type Item = &'a BlobId;
    type IntoIter = slice::Iter<'a, BlobId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_each_once_and_in_order() {
        let blob = |n: u8| BlobId::from_bytes(&[n; 20]).unwrap();
        let mut blobs = NoteBlobs::one(blob(2));
        blobs.extend([blob(3), blob(1), blob(2)]);
        assert_eq!(blobs.iter().copied().collect::<Vec<_>>(), [blob(1), blob(2), blob(3)]);
        assert_eq!(
            blobs.without(&NoteBlobs::one(blob(2))).into_iter().collect::<Vec<_>>(),
            [blob(1), blob(3)]
        );
        assert_eq!((blobs.first(), NoteBlobs::default().first()), (Some(blob(1)), None));
    }
}
