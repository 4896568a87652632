//! Paths that a person gave, as paths of the repository.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::pathspec::Defaults;
use postil_client::{Checkout, Located};
use postil_protocol::ByteText;

use crate::failure::{Failure, FailureKind};

/// A path from the root of the repository; empty for the root itself.
pub fn inside(checkout: &Checkout, given: &OsStr) -> Result<Vec<u8>, Failure> {
    match checkout.locate(given) {
        Located::Inside(path) => Ok(path),
        Located::Outside => {
            let what = format!("{} is outside this repository", given.display());
            Err(Failure::new(FailureKind::Usage, what)
                .hint("give a file in this repository, or use `-C DIR` for another one"))
        }
    }
}

/// Pathspecs that a person gave, as pathspecs from the top of the repository.
pub fn pathspecs(checkout: &Checkout, given: &[std::ffi::OsString]) -> Result<Vec<ByteText>, Failure> {
    given.iter().map(|given| pathspec(checkout, given).map(ByteText::new)).collect()
}

fn pathspec(checkout: &Checkout, given: &OsStr) -> Result<Vec<u8>, Failure> {
    if !has_magic(given) {
        return inside(checkout, given);
    }
    let here = match checkout.locate(OsStr::new(".")) {
        Located::Inside(path) => PathBuf::from(OsStr::from_bytes(&path)),
        Located::Outside => PathBuf::new(),
    };
    let invalid = |error: gix::Error| {
        Failure::new(FailureKind::Usage, format!("invalid pathspec {:?}", given.display().to_string()))
            .because(error)
            .hint("`git help glossary` explains pathspecs")
    };
    let mut spec = gix::pathspec::parse(given.as_bytes(), Defaults::default()).map_err(invalid)?;
    let root = checkout.work_tree().unwrap_or(Path::new(""));
    Ok(spec.normalize(&here, root).map_err(invalid)?.to_bstring().into())
}

fn has_magic(given: &OsStr) -> bool {
    given.as_bytes().starts_with(b":")
}

/// Whether a pathspec may match several files.
pub fn is_pattern(given: &OsStr) -> bool {
    has_magic(given) || given.as_bytes().iter().any(|byte| b"*?[".contains(byte))
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
