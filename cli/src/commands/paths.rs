//! Paths that a person gave, as paths of the repository.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use postil_protocol::ByteText;

use crate::connect::{Folder, Located};
use crate::failure::{Failure, Kind};

/// A path from the root of the repository; empty for the root itself.
pub fn inside(folder: &Folder, given: &OsStr) -> Result<Vec<u8>, Failure> {
    match folder.locate(given) {
        Located::Inside(path) => Ok(path),
        Located::Outside => {
            let what = format!("{} is outside of this repository", given.display());
            Err(Failure::new(Kind::Usage, what)
                .hint("name a file of this repository, or go to the other one with `-C DIR`"))
        }
    }
}

/// Several of them, for a filter.
pub fn all_inside(folder: &Folder, given: &[std::ffi::OsString]) -> Result<Vec<ByteText>, Failure> {
    given.iter().map(|path| inside(folder, path).map(ByteText::new)).collect()
}

/// Whether a path stands for all that are like it, as git would take it.
pub fn is_pattern(given: &OsStr) -> bool {
    given.as_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Whether a path may be mistyped: it names one file, which is not on disk where others are.
pub fn is_mistyped(folder: &Folder, given: &OsStr) -> bool {
    folder.work_tree().is_some() && !is_pattern(given) && on_disk(folder, given).is_none()
}

/// Whether a path is one of a file or link on disk.
pub fn is_file(folder: &Folder, given: &OsStr) -> bool {
    let found = on_disk(folder, given).and_then(|file| file.symlink_metadata().ok());
    found.is_some_and(|file| !file.is_dir())
}

/// Where a path is on disk, if something is there.
pub fn on_disk(folder: &Folder, given: &OsStr) -> Option<PathBuf> {
    let Located::Inside(path) = folder.locate(given) else { return None };
    let file = folder.file(&path)?;
    file.symlink_metadata().is_ok().then_some(file)
}
