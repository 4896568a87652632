//! Turns a path in the repository into a path on disk, if that is safe.
//!
//! A path may come from other people's notes or patches: one that leaves the work tree, or leads into a git
//! directory, into another repository or through a link, is refused.

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
    #[error("invalid path: {path}")]
    Forbidden {
        /// The path.
        path: RepoPath,
    },
    /// A part of it is not a folder of this repository.
    #[error("{path} goes through {}, which is {what}", through.display())]
    Through {
        /// The path.
        path: RepoPath,
        /// What is in the way.
        through: PathBuf,
        /// What that is.
        what: &'static str,
    },
    /// A folder on the way cannot be looked at.
    #[error("could not read {}", at.display())]
    Look {
        /// The folder.
        at: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// Returns where the file at `path` is, or would be, in the work tree at `root`; its folders need not exist.
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
            Ok(found) if found.is_symlink() => return Err(through("a symlink")),
            Ok(found) if !found.is_dir() => return Err(through("not a directory")),
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
