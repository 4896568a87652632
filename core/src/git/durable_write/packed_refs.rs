//! Takes a ref out of the packed refs.
//!
//! Nothing is ever added there: a new value is a loose ref, which hides the packed one.

use std::fs;
use std::path::PathBuf;
use std::slice;

use super::durable_files::{Access, Durability, create_file, remove_if_there, sync_dirs};
use super::lockfile::LockFile;
use super::writer_lock::WriterLock;
use crate::git::error::RefError;
use crate::git::{Patience, RefName};

/// Rewrites the packed refs without `name`, if it is among them.
///
/// The caller holds the lock of the ref itself, so that no git packs it meanwhile.
pub(super) fn forget(
    writer: &mut WriterLock<'_>,
    name: &RefName,
    durability: Durability,
    patience: Patience,
) -> Result<(), RefError> {
    let repo = writer.repository();
    let Some(packed) = repo.packed_refs()? else { return Ok(()) };
    if repo.find_packed(&packed, name)?.is_none() {
        return Ok(());
    }
    drop(packed);
    // Git locks what the link points at, where the packed refs are a link.
    let path = repo.packed_refs_path();
    let path = fs::canonicalize(&path).map_err(|source| RefError::Read { path, source })?;
    let lock = LockFile::take(writer, &path, b"", durability, patience)?;
    let bytes = fs::read(&path).map_err(|source| RefError::Read { path: path.clone(), source })?;

    let draft = writer.dir().join("packed-refs.new");
    let failed = |path: &PathBuf| {
        let path = path.clone();
        |source| RefError::Write { path, source }
    };
    remove_if_there(&draft).map_err(failed(&draft))?;
    let rest = without(&bytes, name.as_bytes());
    let file = create_file(&draft, &rest, Access::ReadWrite, repo.sharing()).map_err(failed(&draft))?;
    if durability == Durability::Synced {
        file.sync_all().map_err(failed(&draft))?;
    }
    fs::rename(&draft, &path).map_err(failed(&path))?;
    let lock_path = lock.path().to_owned();
    drop(lock);
    if durability == Durability::Synced {
        let dir = path.parent().unwrap_or(&path).to_owned();
        sync_dirs(slice::from_ref(&dir)).map_err(|(_, source)| failed(&dir)(source))?;
    }
    writer.unmark(&lock_path)
}

/// Every other line stays as it is, the peeled id of the ref goes with it.
fn without(bytes: &[u8], name: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut dropping = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let is_peeled = line.starts_with(b"^");
        if !is_peeled {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let at = text.iter().position(|byte| *byte == b' ');
            dropping = !text.starts_with(b"#") && at.is_some_and(|at| &text[at + 1..] == name);
        }
        if !dropping {
            kept.extend_from_slice(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ref_and_its_peeled_id_go() {
        let before = "# pack-refs with: peeled fully-peeled sorted \n\
                      11 refs/heads/main\n\
                      22 refs/tags/v1\n\
                      ^33\n\
                      44 refs/tags/v10\n\
                      ^55\n";
        let after = "# pack-refs with: peeled fully-peeled sorted \n\
                     11 refs/heads/main\n\
                     44 refs/tags/v10\n\
                     ^55\n";
        assert_eq!(without(before.as_bytes(), b"refs/tags/v1"), after.as_bytes());
        assert_eq!(without(before.as_bytes(), b"refs/tags/v"), before.as_bytes());
    }
}
