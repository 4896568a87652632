//! The full name of a ref that all work trees of a repository share.
//!
//! `HEAD` and the refs of a single work tree are never moved here, so they are not valid.

use std::fmt;
use std::path::{Path, PathBuf};

use gix::refs::{FullName, FullNameRef};

use crate::git::error::RefNameError;

/// A valid name below `refs/`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(FullName);

impl RefName {
    /// Fails for what git would not accept, and for refs that belong to one work tree alone.
    pub fn new(name: &str) -> Result<Self, RefNameError> {
        Self::from_bytes(name.as_bytes())
    }

    /// As [`RefName::new`], for a name that came from disk.
    pub fn from_bytes(name: &[u8]) -> Result<Self, RefNameError> {
        let text = || String::from_utf8_lossy(name).into_owned();
        let full = FullName::try_from(gix::bstr::BStr::new(name)).map_err(|source| {
            RefNameError::Invalid { name: text(), source: gix::Error::from_error(source) }
        })?;
        let private = [&b"refs/worktree/"[..], b"refs/bisect/", b"refs/rewritten/"];
        if !name.starts_with(b"refs/") || private.iter().any(|prefix| name.starts_with(prefix)) {
            return Err(RefNameError::NotShared { name: text() });
        }
        full.to_path().map_err(|source| RefNameError::Invalid { name: text(), source })?;
        Ok(Self(full))
    }

    /// The name in the bytes that git has for it.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bstr()
    }

    /// The name as gix knows it.
    pub fn as_full_name(&self) -> &FullNameRef {
        self.0.as_ref()
    }

    /// The names of the directories above it that could themselves be refs, outermost first.
    pub(in crate::git) fn ancestors(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.as_bytes();
        let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes.map(|(at, _)| &bytes[..at]).skip(1)
    }

    /// Where the loose ref, or with `logs` as the base its reflog, would be.
    pub(in crate::git) fn below(&self, base: &Path) -> PathBuf {
        base.join(self.0.to_path().expect("`from_bytes` made this path once"))
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_bstr().fmt(f)
    }
}

impl fmt::Debug for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RefName({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_refs_have_a_name() {
        for good in ["refs/notes/reviews", "refs/postil/remotes/origin/reviews", "refs/heads/main"] {
            assert_eq!(RefName::new(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            "HEAD",
            "reviews",
            "refs/notes/../heads/main",
            "refs/notes/reviews.lock",
            "refs//notes",
            "/refs/notes/a",
            "refs/notes/a b",
            "refs/notes/",
            "refs/worktree/a",
            "refs/bisect/bad",
        ] {
            assert!(RefName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ancestors_are_what_could_be_in_the_way() {
        let name = RefName::new("refs/postil/remotes/origin").unwrap();
        let above: Vec<&[u8]> = name.ancestors().collect();
        assert_eq!(above, [&b"refs/postil"[..], b"refs/postil/remotes"]);
    }
}
