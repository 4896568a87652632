//! Texts that were not written, which stay in the git directory until they are.
//!
//! Each has a file of its own, beside those of commands that run just now. What is in an open editor has more in its
//! file than the text, and so is never taken for one that was written.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What the names of the files begin with.
const NAME: &str = "POSTIL_EDITMSG";

/// So many texts of commands that failed are kept beside each other.
const MAX_KEPT: u32 = 1000;

/// Creates a file that no other command uses, neither a running one nor one that failed and kept its text.
pub fn reserve(git_dir: &Path) -> io::Result<PathBuf> {
    let name = |number: u32| match number {
        0 => NAME.to_owned(),
        _ => format!("{NAME}.{number}"),
    };
    let mut number = 0;
    loop {
        let file = git_dir.join(name(number));
        match fs::OpenOptions::new().write(true).create_new(true).open(&file) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_KEPT => number += 1,
            made => return made.map(|_| file),
        }
    }
}

/// Keeps a text, once however often its command fails, and returns where; `own` is the file that its command has.
pub fn keep(git_dir: &Path, text: &str, own: Option<&Path>) -> io::Result<PathBuf> {
    if let Some(file) = holding(git_dir, text).next() {
        // A leftover file does no harm.
        let _ = own.filter(|own| *own != file).map(fs::remove_file);
        return Ok(file);
    }
    let file = own.map_or_else(|| reserve(git_dir), |own| Ok(own.to_owned()))?;
    fs::write(&file, text)?;
    Ok(file)
}

/// Takes away what was kept of a text that is written now.
pub fn forget(git_dir: &Path, text: &str) {
    for file in holding(git_dir, text) {
        let _ = fs::remove_file(file);
    }
}

/// The files that hold this text and nothing else.
fn holding(git_dir: &Path, text: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(git_dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(NAME.as_bytes()));
    files.map(|entry| entry.path()).filter(move |file| {
        let said = fs::read_to_string(file).ok();
        said.is_some_and(|said| !said.trim().is_empty() && said.trim() == text.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_and_goes_when_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (first, other) =
            (keep(folder.path(), "one", None).unwrap(), keep(folder.path(), "two", None).unwrap());
        let own = reserve(folder.path()).unwrap();
        assert_eq!(keep(folder.path(), "one\n", Some(&own)).unwrap(), first);
        assert!(!own.exists(), "the same text is there already");
        let open = reserve(folder.path()).unwrap();
        fs::write(&open, "one\n--- about it\n").unwrap();
        forget(folder.path(), "one");
        assert_eq!((first.exists(), other.exists(), open.exists()), (false, true, true));
        forget(folder.path(), "");
        assert_eq!(reserve(folder.path()).unwrap(), first, "a name that is free is used again");
    }
}
