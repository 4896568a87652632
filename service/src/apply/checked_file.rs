//! One file that is to be written or deleted, checked against what was expected of it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use postil_core::git::{RepoPath, place_on_disk};
use postil_protocol::{Advice, ByteText, Fault, FaultCode, Hex};

use super::undo_entry::FileBefore;
use crate::convert::fault::FaultSource as _;

/// What a file must be for it to be written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundBefore {
    /// Exactly these bytes, by git's name for them.
    Is(Hex),
    /// Nothing is there, or an empty file.
    Nothing,
}

/// What a file is to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileWrite {
    /// Where it is, from the root of the work tree.
    pub path: ByteText,
    /// What must be there.
    pub expected: FoundBefore,
    /// Its bytes; none when it is deleted.
    pub content: Option<Vec<u8>>,
    /// Whether it is to be a program.
    pub executable: bool,
}

/// A file that was looked at, and is as it was expected.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    /// Where it is.
    pub on_disk: PathBuf,
    /// What it is to become.
    pub change: FileWrite,
    /// Its bytes now.
    pub before: Option<Vec<u8>>,
    /// Its permissions now.
    pub permissions: Option<u32>,
}

impl CheckedFile {
    /// Looks at the file; fails where it is not what was expected, or may not be written.
    pub fn check(root: &Path, hash: gix::hash::Kind, change: FileWrite) -> Result<Self, Fault> {
        let name = String::from_utf8_lossy(change.path.as_bytes()).into_owned();
        let path = RepoPath::new(change.path.as_bytes())
            .ok_or_else(|| Fault::new(FaultCode::Unsafe, format!("invalid path: {name:?}")))?;
        let on_disk = place_on_disk(root, &path)
            .map_err(|error| Fault::new(error.code(), format!("refusing to write {name}")).because(&error))?;
        let unreadable = |error: std::io::Error| {
            Fault::new(FaultCode::WriteFailed, format!("could not read {name}"))
                .because(&error)
                .advise(Advice::NothingChanged)
        };
        let metadata = match fs::symlink_metadata(&on_disk) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(error)),
        };
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let message = format!("refusing to write {name}: not a regular file");
            return Err(Fault::new(FaultCode::Conflict, message).advise(Advice::NothingChanged));
        }
        let before = metadata.as_ref().map(|_| fs::read(&on_disk)).transpose().map_err(unreadable)?;
        let as_expected = match (&change.expected, &before) {
            (FoundBefore::Is(expected), Some(before)) => name_of(hash, before).as_ref() == Some(expected),
            (FoundBefore::Is(_), None) => false,
            (FoundBefore::Nothing, before) => before.as_ref().is_none_or(Vec::is_empty),
        };
        if !as_expected {
            return Err(Fault::new(FaultCode::Conflict, format!("{name} has changed since it was read"))
                .advise(Advice::PlanAgain));
        }
        let permissions = metadata.map(|metadata| metadata.permissions().mode());
        Ok(Self { on_disk, change, before, permissions })
    }

    /// What leads back from what it becomes.
    pub fn entry(&self, hash: gix::hash::Kind) -> FileBefore {
        FileBefore {
            path: self.change.path.clone(),
            before: self.before.clone().map(ByteText::new),
            executable: self.permissions.is_some_and(|mode| mode & 0o100 != 0),
            after: self.change.content.as_ref().and_then(|content| name_of(hash, content)),
        }
    }

    /// The permissions that it gets: those it has, as a program or not; `None` for a new file, whose are usual.
    pub fn permissions_after(&self) -> Option<u32> {
        let mode = self.permissions?;
        // Who may read a program may run it, as git has it.
        let run = (mode & 0o444) >> 2;
        Some(match (self.change.executable, mode & 0o100 != 0) {
            (true, false) => mode | run,
            (false, true) => mode & !0o111,
            _ => mode,
        })
    }
}

/// Git's name for bytes.
pub fn name_of(hash: gix::hash::Kind, bytes: &[u8]) -> Option<Hex> {
    let name = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, bytes).ok()?;
    Hex::new(name.to_string()).ok()
}
