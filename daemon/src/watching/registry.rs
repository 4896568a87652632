//! The repositories that are watched, as a file that outlives the daemon.
//!
//! One git directory a line. What is in the file is a hint: a repository that is gone is forgotten, one that is
//! missing registers again with its next request.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// If there are more, the longest unused are forgotten.
const MAX_REPOSITORIES: usize = 4096;

/// The known repositories, and where they are written down.
#[derive(Debug)]
pub(crate) struct Registry {
    file: PathBuf,
    known: BTreeSet<PathBuf>,
}

impl Registry {
    /// Reads the file; one that is missing or unreadable is empty.
    pub(crate) fn open(file: PathBuf) -> Self {
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                tracing::warn!(%error, "could not read the list of repositories");
                Vec::new()
            }
        };
        let known = text.split(|byte| *byte == b'\n').filter_map(decode).take(MAX_REPOSITORIES).collect();
        Self { file, known }
    }

    /// The known ones.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Path> {
        self.known.iter().map(PathBuf::as_path)
    }

    /// Remembers a repository by its common git directory.
    ///
    /// Fails only to write it down: it is known to this process all the same.
    pub(crate) fn add(&mut self, common_dir: &Path) -> io::Result<()> {
        if self.known.len() >= MAX_REPOSITORIES || !self.known.insert(common_dir.to_owned()) {
            return Ok(());
        }
        self.save()
    }

    /// Forgets one that is gone.
    pub(crate) fn forget(&mut self, common_dir: &Path) -> io::Result<()> {
        if !self.known.remove(common_dir) {
            return Ok(());
        }
        self.save()
    }

    /// Replaces the file as a whole, so that a reader finds the old list or the new one.
    fn save(&self) -> io::Result<()> {
        let new = self.file.with_extension("new");
        let mut file = File::create(&new)?;
        for path in &self.known {
            file.write_all(&encode(path))?;
        }
        file.sync_all()?;
        fs::rename(&new, &self.file)
    }
}

/// The repositories that the last daemon attended to, by their common git directories; for clients that use none.
pub fn known_repositories(file: &Path) -> Vec<PathBuf> {
    Registry::open(file.to_owned()).known.into_iter().collect()
}

fn encode(path: &Path) -> Vec<u8> {
    let mut line = Vec::with_capacity(path.as_os_str().len() + 1);
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'\n' => line.extend(b"%0a"),
            b'%' => line.extend(b"%25"),
            byte => line.push(*byte),
        }
    }
    line.push(b'\n');
    line
}

fn decode(line: &[u8]) -> Option<PathBuf> {
    let mut path = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((first, tail)) = rest.split_first() {
        let (byte, after) = match (first, tail) {
            (b'%', [b'0', b'a', tail @ ..]) => (&b'\n', tail),
            (b'%', [b'2', b'5', tail @ ..]) => (&b'%', tail),
            (b'%', _) => return None,
            (first, tail) => (first, tail),
        };
        path.push(*byte);
        rest = after;
    }
    let path = PathBuf::from(OsString::from_vec(path));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_registered_is_found_by_the_next_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("repositories");
        let odd = Path::new("/a %0a\nb/.git");
        let mut registry = Registry::open(file.clone());
        registry.add(Path::new("/z/.git")).unwrap();
        registry.add(odd).unwrap();
        registry.add(odd).unwrap();
        let mut again = Registry::open(file.clone());
        assert_eq!(again.all().collect::<Vec<_>>(), [odd, Path::new("/z/.git")]);
        again.forget(odd).unwrap();
        assert_eq!(Registry::open(file).all().collect::<Vec<_>>(), [Path::new("/z/.git")]);
    }

    #[test]
    fn lines_that_are_no_path_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("repositories");
        fs::write(&file, b"relative/.git\n%zz\n\n/fine/.git\n%").unwrap();
        assert_eq!(Registry::open(file).all().collect::<Vec<_>>(), [Path::new("/fine/.git")]);
    }
}
