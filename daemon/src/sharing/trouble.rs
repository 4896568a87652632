//! Why the last exchange in the background failed: a small file that outlives the daemon, for `postil status`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// More is not shown to anybody.
const MAX_BYTES: usize = 2048;

/// What went wrong last, if it was not made good since.
pub(crate) fn trouble(common_dir: &Path) -> Option<String> {
    let mut said = fs::read(file(common_dir)).ok()?;
    said.truncate(MAX_BYTES);
    Some(String::from_utf8_lossy(&said).trim_end().to_owned()).filter(|said| !said.is_empty())
}

/// Writes down what went wrong, or that nothing did.
pub(super) fn note(common_dir: &Path, said: Option<&str>) -> io::Result<()> {
    let file = file(common_dir);
    match said {
        Some(said) => fs::write(file, format!("{said}\n")),
        None => match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

fn file(common_dir: &Path) -> PathBuf {
    common_dir.join("postil").join("sync-trouble")
}
