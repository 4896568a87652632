//! A path inside a tree, in the bytes that git has for it.
//!
//! Never a path on disk: those are `std::path::Path`, and `work_tree` makes one of them safely.

use std::fmt;
use std::sync::Arc;

/// A path inside a tree: `/` between its parts, not empty, any other bytes.
///
/// A clone shares the bytes: a hundred thousand positions name a few thousand files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// Returns `None` for what no tree can hold: an empty path or part, or a NUL.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Option<Self> {
        let bytes = bytes.into();
        let whole = !bytes.contains(&0) && bytes.split(|b| *b == b'/').all(|part| !part.is_empty());
        whole.then(|| Self(bytes.into()))
    }

    /// The bytes of the path.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The last part of the path.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|b| *b == b'/').next().unwrap_or(&self.0)
    }

    /// How many folders it names, and the file itself.
    pub(crate) fn parts(&self) -> usize {
        memchr::memchr_iter(b'/', &self.0).count() + 1
    }
}

impl fmt::Display for RepoPath {
    /// Lossy if the path is not UTF-8; for showing only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(&self.0).fmt(f)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({:?})", String::from_utf8_lossy(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_no_empty_part_and_no_nul() {
        assert!(RepoPath::new(*b"src/lib.rs").is_some());
        assert!(RepoPath::new(*b"caf\xe9").is_some());
        for wrong in [&b""[..], b"/a", b"a/", b"a//b", b"a\0b"] {
            assert!(RepoPath::new(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn the_file_name_is_the_last_part() {
        assert_eq!(RepoPath::new(*b"a/b/c.rs").unwrap().file_name(), b"c.rs");
        assert_eq!(RepoPath::new(*b"c.rs").unwrap().file_name(), b"c.rs");
    }
}
