//! Texts that were not sent yet, which stay in the git directory until they are.
//!
//! All of them are in one file, with an empty line in between, and the next editor begins with them. Only while one
//! editor has that file, another one gets a file with a number.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::editor::{above_scissors, has_scissors};

/// What the names of the files begin with.
const NAME: &str = "POSTIL_EDITMSG";

/// What the names of the locks begin with; a lock is there while an editor has the file of the same number.
const LOCK_NAME: &str = "POSTIL_EDITING";

/// So many editors can be open at once.
const MAX_OPEN: u32 = 1000;

/// A file for a text, which no other command uses while this exists.
#[derive(Debug)]
pub struct MessageFile {
    /// Where it is; it need not be there.
    pub path: PathBuf,
    /// What was not sent earlier and is in it.
    pub earlier: String,
    lock: PathBuf,
    /// The lock goes with it, also if the process is killed.
    _held: File,
}

/// Which file is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedFile {
    /// Any that nobody has open.
    Any,
    /// One without an earlier text, for another text to begin with.
    Empty,
}

impl MessageFile {
    /// Takes the first file that fits.
    pub fn open(git_dir: &Path, wanted: WantedFile) -> io::Result<Self> {
        let name = |name: &str, number: u32| match number {
            0 => git_dir.join(name),
            _ => git_dir.join(format!("{name}.{number}")),
        };
        for number in 0..MAX_OPEN {
            let (path, lock) = (name(NAME, number), name(LOCK_NAME, number));
            let Some(held) = take_lock(&lock)? else { continue };
            let earlier = match fs::read_to_string(&path) {
                Ok(written) => above_scissors(&written).trim().to_owned(),
                Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
                // What cannot be read is not written over.
                Err(_) => {
                    let _ = fs::remove_file(&lock);
                    continue;
                }
            };
            let file = Self { path, earlier, lock, _held: held };
            if wanted == WantedFile::Any || file.earlier.is_empty() {
                return Ok(file);
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "too many editors are open"))
    }

    /// Puts back what was in it before.
    pub fn restore(&self) -> io::Result<()> {
        if self.earlier.is_empty() {
            remove_if_there(&self.path)
        } else {
            fs::write(&self.path, &self.earlier)
        }
    }
}

impl Drop for MessageFile {
    fn drop(&mut self) {
        // One that stays behind is nobody's, and is taken by the next.
        let _ = fs::remove_file(&self.lock);
    }
}

/// Locks a file, and makes it; `None` if another process has it.
fn take_lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        // Another one may have removed it before it was locked here.
        let is_there = fs::metadata(path).is_ok_and(|there| {
            file.metadata().is_ok_and(|here| (here.dev(), here.ino()) == (there.dev(), there.ino()))
        });
        if is_there {
            return Ok(Some(file));
        }
    }
}

/// Keeps a text, once however often its command fails, and returns where; `own` is the file that its command has.
pub fn keep(git_dir: &Path, text: &str, own: Option<&MessageFile>) -> io::Result<PathBuf> {
    if let Some(own) = own {
        fs::write(&own.path, text)?;
        return Ok(own.path.clone());
    }
    if let Some((file, _)) = kept(git_dir).find(|(_, said)| without(said, text).is_some()) {
        return Ok(file);
    }
    let file = MessageFile::open(git_dir, WantedFile::Any)?;
    let both = if file.earlier.is_empty() { text.to_owned() } else { format!("{}\n\n{text}", file.earlier) };
    fs::write(&file.path, both)?;
    Ok(file.path.clone())
}

/// Takes away what was kept of a text that is sent now.
pub fn forget(git_dir: &Path, text: &str) {
    for (file, said) in kept(git_dir) {
        let Some(rest) = without(&said, text) else { continue };
        // What stays behind is in nobody's way.
        let _ = if rest.is_empty() { fs::remove_file(file) } else { fs::write(file, rest) };
    }
}

/// The files with texts that were not sent, but for those that an editor has.
fn kept(git_dir: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let entries = fs::read_dir(git_dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(NAME.as_bytes()));
    let read = files.filter_map(|entry| Some((entry.path(), fs::read_to_string(entry.path()).ok()?)));
    read.filter(|(_, said)| !has_scissors(said))
}

/// What is left of several texts without one of them; `None` if it is not among them.
fn without(texts: &str, text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let (texts, text) = (format!("\n\n{}\n\n", texts.trim()), format!("\n\n{text}\n\n"));
    let at = texts.find(&text)?;
    let (before, after) = (texts[..at].trim(), texts[at + text.len()..].trim());
    Some([before, after].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n\n"))
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn texts_that_were_not_sent_are_in_one_file_each_once_until_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["one", "two\n\nand a half\n", "one\n", "three"] {
            keep(folder.path(), text, None).unwrap();
        }
        assert_eq!(names(folder.path()), [NAME]);
        let said = || fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert_eq!(said(), "one\n\ntwo\n\nand a half\n\nthree");
        forget(folder.path(), "something else");
        forget(folder.path(), "");
        forget(folder.path(), "two\n\nand a half");
        assert_eq!(said(), "one\n\nthree");
        forget(folder.path(), "three");
        forget(folder.path(), "one");
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_file_has_a_number_only_while_another_one_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let open = || MessageFile::open(folder.path(), WantedFile::Any).unwrap();
        let first = open();
        assert_eq!(first.path, folder.path().join(NAME));
        assert_eq!(keep(folder.path(), "meanwhile", None).unwrap(), folder.path().join(format!("{NAME}.1")));
        assert_eq!(open().earlier, "meanwhile");
        keep(folder.path(), "written in it", Some(&first)).unwrap();
        drop(first);
        let again = open();
        assert_eq!((again.path.clone(), again.earlier.as_str()), (folder.path().join(NAME), "written in it"));
        drop(again);
        let empty = MessageFile::open(folder.path(), WantedFile::Empty).unwrap();
        assert_eq!(empty.path, folder.path().join(format!("{NAME}.2")), "both others have a text");
        drop(empty);
        forget(folder.path(), "written in it");
        forget(folder.path(), "meanwhile");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
