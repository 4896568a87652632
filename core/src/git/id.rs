//! Object ids that say what kind of object they name.
//!
//! An id is 20 or 32 bytes, as the repository's hash is. That the object exists is not promised.

use std::fmt;

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(gix::ObjectId);

        impl $name {
            /// Returns `None` unless `bytes` has the length of a hash that git knows.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                gix::ObjectId::try_from(bytes).ok().map(Self)
            }

            /// Returns `None` unless `hex` is a whole id in hexadecimal digits.
            pub fn from_hex(hex: &[u8]) -> Option<Self> {
                gix::ObjectId::from_hex(hex).ok().map(Self)
            }

            /// The raw id.
            pub fn as_bytes(&self) -> &[u8] {
                self.0.as_bytes()
            }

            /// The id as gix knows it.
            pub fn raw(self) -> gix::ObjectId {
                self.0
            }
        }

        impl From<gix::ObjectId> for $name {
            fn from(raw: gix::ObjectId) -> Self {
                Self(raw)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

object_id!(
    /// Names any object; what a note is attached to.
    ObjectId
);
object_id!(
    /// Names a commit.
    CommitId
);
object_id!(
    /// Names a tree.
    TreeId
);
object_id!(
    /// Names a blob.
    BlobId
);

impl From<CommitId> for ObjectId {
    fn from(id: CommitId) -> Self {
        Self(id.0)
    }
}

impl From<BlobId> for ObjectId {
    fn from(id: BlobId) -> Self {
        Self(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_20_or_32_bytes_and_nothing_else() {
        assert!(BlobId::from_bytes(&[7; 20]).is_some());
        assert!(BlobId::from_bytes(&[7; 32]).is_some());
        for wrong in [0, 16, 19, 21, 31, 33] {
            assert!(BlobId::from_bytes(&vec![7; wrong]).is_none(), "{wrong} bytes");
        }
    }

    #[test]
    fn hex_round_trips() {
        let id = CommitId::from_bytes(&[0xab; 32]).unwrap();
        assert_eq!(CommitId::from_hex(id.to_string().as_bytes()), Some(id));
        assert_eq!(CommitId::from_hex(b"abc"), None);
    }
}
