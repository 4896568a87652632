//! Ids as clients see them.

use postil_core::git::{BlobId, CommitId};
use postil_core::record::RecordId;
use postil_protocol::Hex;

/// An id in JSON.
pub(crate) fn hex(id: impl Digits) -> Hex {
    Hex::of(id.bytes())
}

/// What has hexadecimal digits.
pub(crate) trait Digits {
    /// Its bytes.
    fn bytes(&self) -> &[u8];
}

impl Digits for RecordId {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Digits for CommitId {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Digits for BlobId {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<T: Digits> Digits for &T {
    fn bytes(&self) -> &[u8] {
        T::bytes(self)
    }
}
