//! Where a file of the repository may be on disk.
//!
//! A path may come from somebody else's notes or patch: what leads out of the work tree, into a git directory, into
//! another repository or through a link has no place.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::validate::path::component;

use super::RepoPath;

/// Names that mean a git directory on any file system are refused on every one.
const PROTECT: component::Options =
    component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };

/// Why a path has no place on disk.
#[derive(Debug, thiserror::Error)]
pub enum NoPlace {
    /// It leaves the work tree, or reaches into git's own files.
    #[error("{path} is no path that a file may have")]
    Forbidden {
        /// The path.
        path: RepoPath,
    },
    /// It leads through something that is no folder of this repository.
    #[error("{path} leads through {}, which is {what}", through.display())]
    Through {
        /// The path.
        path: RepoPath,
        /// What is in the way.
        through: PathBuf,
        /// What that is.
        what: &'static str,
    },
    /// A folder on the way cannot be looked at.
    #[error("could not look at {}", at.display())]
    Look {
        /// The folder.
        at: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// Where the file at `path` is, or would be, in the work tree at `root`; folders on the way may be missing.
pub fn place_on_disk(root: &Path, path: &RepoPath) -> Result<PathBuf, NoPlace> {
    let parts: Vec<&[u8]> = path.as_bytes().split(|byte| *byte == b'/').collect();
    if parts.iter().any(|part| component(part.as_bstr(), None, PROTECT).is_err()) {
        return Err(NoPlace::Forbidden { path: path.clone() });
    }
    let mut file = root.to_owned();
    let mut missing = false;
    for (at, part) in parts.iter().enumerate() {
        file.push(OsStr::from_bytes(part));
        if missing || at + 1 == parts.len() {
            continue;
        }
        let through = |what| NoPlace::Through { path: path.clone(), through: file.clone(), what };
        match fs::symlink_metadata(&file) {
            Ok(found) if found.is_symlink() => return Err(through("a link")),
            Ok(found) if !found.is_dir() => return Err(through("no folder")),
            Ok(_) if file.join(".git").symlink_metadata().is_ok() => {
                return Err(through("another repository"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => missing = true,
            Err(source) => return Err(NoPlace::Look { at: file, source }),
        }
    }
    Ok(file)
}
