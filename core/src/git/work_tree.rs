//! Turns a path in the repository into a path on disk, if that is safe.
//!
//! A path may come from other people's notes or patches: one that leaves the work tree, or leads into a git
//! directory, into another repository or through a link, is refused. So is what is a plain name here and something else
//! on another file system that the work tree may be on, such as a mounted Windows disk: `..\..\x`, `C:x`, a new `nul`.

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
    let is_bad = |part: &&[u8]| component(part.as_bstr(), None, PROTECT).is_err() || part.contains(&b'\\');
    if parts.iter().any(is_bad) || has_drive(path.as_bytes()) {
        return Err(NoPlace::Forbidden { path: path.clone() });
    }
    let mut file = root.to_owned();
    let mut missing = false;
    for (at, part) in parts.iter().enumerate() {
        file.push(OsStr::from_bytes(part));
        // What is there under such a name is a file to this file system; what is not may become a device.
        if is_device(part) && fs::symlink_metadata(&file).is_err() {
            return Err(NoPlace::Forbidden { path: path.clone() });
        }
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

/// Whether Windows takes the beginning of a path for a drive.
fn has_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Whether Windows takes a name for a device, with or without an extension.
fn is_device(name: &[u8]) -> bool {
    let end = name.iter().position(|byte| matches!(byte, b'.' | b':')).unwrap_or(name.len());
    let stem = name[..end].trim_ascii_end().to_ascii_lowercase();
    match stem.as_slice() {
        b"con" | b"prn" | b"aux" | b"nul" | b"conin$" | b"conout$" => true,
        [b'c', b'o', b'm', digit] | [b'l', b'p', b't', digit] => digit.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_on_another_file_system_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("aux.c"), "there").unwrap();
        let check = |path: &str, expected: bool| {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(place_on_disk(dir.path(), &path).is_ok(), expected, "{path}");
        };
        for path in [
            r"..\..\x",
            r"a\b",
            r"a/b\c",
            r".git\config",
            r"a\.git\config",
            "C:x",
            "c:/x",
            "../x",
            "a/./x",
            ".git/config",
            ".GIT/config",
            "git~1/config",
            ".g\u{200c}it/config",
            ".git::$INDEX_ALLOCATION/config",
            "nul",
            "a/NUL.txt",
            "con .log",
            "com1",
            "Lpt9.x/y",
        ] {
            check(path, false);
        }
        for path in
            ["a", "a/b", "aux.c", "console", "com", "com10", "nullable.rs", "ab:c", ".gitignore", "x/C:"]
        {
            check(path, true);
        }
        assert!(RepoPath::new("a\0b").is_none(), "no path has a NUL byte");
    }
}
