//! Paths that a person gave, as paths of the repository.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use postil_client::{Checkout, Located};
use postil_protocol::ByteText;

use crate::failure::{Failure, Kind};

/// A path from the root of the repository; empty for the root itself.
pub fn inside(checkout: &Checkout, given: &OsStr) -> Result<Vec<u8>, Failure> {
    match checkout.locate(given) {
        Located::Inside(path) => Ok(path),
        Located::Outside => {
            let what = format!("{} is outside of this repository", given.display());
            Err(Failure::new(Kind::Usage, what)
                .hint("name a file of this repository, or go to the other one with `-C DIR`"))
        }
    }
}

/// Several of them, for a filter.
pub fn all_inside(checkout: &Checkout, given: &[std::ffi::OsString]) -> Result<Vec<ByteText>, Failure> {
    given.iter().map(|path| inside(checkout, path).map(ByteText::new)).collect()
}

/// Whether a path stands for all that are like it, as git would take it.
pub fn is_pattern(given: &OsStr) -> bool {
    given.as_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Whether a path may be mistyped: it names one file, which is not on disk where others are.
pub fn is_mistyped(checkout: &Checkout, given: &OsStr) -> bool {
    checkout.work_tree().is_some() && !is_pattern(given) && on_disk(checkout, given).is_none()
}

/// Whether a path is one of a file or link on disk.
pub fn is_file(checkout: &Checkout, given: &OsStr) -> bool {
    let found = on_disk(checkout, given).and_then(|file| file.symlink_metadata().ok());
    found.is_some_and(|file| !file.is_dir())
}

/// Where a path is on disk, if something is there.
pub fn on_disk(checkout: &Checkout, given: &OsStr) -> Option<PathBuf> {
    let Located::Inside(path) = checkout.locate(given) else { return None };
    let file = checkout.file(&path)?;
    file.symlink_metadata().is_ok().then_some(file)
}
