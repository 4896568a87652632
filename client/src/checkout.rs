//! A repository that was found, and where in it the program was started.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use postil_core::git::Repository;
use postil_protocol::{ByteText, RepositoryName};

/// A repository that was found, and where in it the program was started.
#[derive(Debug)]
pub struct Checkout {
    repo: Repository,
    /// What its settings are read through: made once, since a command asks for a dozen of them.
    handle: gix::Repository,
    work_tree: Option<PathBuf>,
    /// The folder in which the program was started, from the root of the working tree.
    prefix: Vec<u8>,
}

/// A path that a person gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// From the root of the repository; empty for the root itself.
    Inside(Vec<u8>),
    /// Not in the working tree.
    Outside,
}

impl Checkout {
    pub(crate) fn new(
        repo: Repository,
        handle: gix::Repository,
        work_tree: Option<PathBuf>,
        directory: &Path,
    ) -> Self {
        let prefix = work_tree.as_ref().and_then(|root| directory.strip_prefix(root).ok());
        let prefix = prefix.map(|prefix| prefix.as_os_str().as_bytes().to_vec()).unwrap_or_default();
        Self { repo, handle, work_tree, prefix }
    }

    /// The repository itself, for what nothing else here says.
    pub fn repository(&self) -> &Repository {
        &self.repo
    }

    /// The git directory.
    pub fn git_dir(&self) -> &Path {
        self.repo.git_dir()
    }

    /// The git directory that all working trees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.repo.common_dir()
    }

    /// The settings of git.
    pub fn settings(&self) -> gix::config::Snapshot<'_> {
        self.handle.config_snapshot()
    }

    /// The repository, as requests name it.
    pub fn name(&self) -> RepositoryName {
        let bytes = |path: &Path| ByteText::new(path.as_os_str().as_bytes());
        // The service sees the git directory alone.
        let own = self.repo.own_work_tree();
        let work_tree = self.work_tree.as_deref().filter(|root| own.as_deref() != Some(*root));
        RepositoryName { git_dir: bytes(self.repo.git_dir()), work_tree: work_tree.map(bytes) }
    }

    /// A setting of git.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.settings().string(name).map(|value| value.to_string())
    }

    /// A path setting of git. `~` is a home directory. A relative path starts where git runs hooks: at the
    /// root of the working tree, or in the git directory of a bare repository.
    pub fn path_setting(&self, name: &str) -> Option<PathBuf> {
        let config = self.settings();
        // What cannot be understood as a path is taken for one as it is, as git does.
        let path = match config.trusted_path(name) {
            Ok(path) => path?,
            Err(_) => PathBuf::from(config.string(name)?.to_string()),
        };
        Some(self.work_tree().unwrap_or(self.repo.git_dir()).join(path))
    }

    /// A setting of git that is yes or no.
    pub fn switch(&self, name: &str) -> Option<bool> {
        self.settings().boolean(name)
    }

    /// Where a path that a person gave is in the repository: relative to where they are, or absolute.
    pub fn locate(&self, given: &OsStr) -> Located {
        let path = Path::new(given);
        let relative = if path.is_absolute() {
            let root = self.work_tree.as_deref();
            let inside = root.and_then(|root| {
                path.strip_prefix(root).map(Path::to_owned).ok().or_else(|| {
                    // The folder may have been named through a link.
                    let folder = path.parent()?.canonicalize().ok()?;
                    Some(folder.strip_prefix(root).ok()?.join(path.file_name()?))
                })
            });
            let Some(inside) = inside else { return Located::Outside };
            inside
        } else {
            Path::new(&OsString::from_vec(self.prefix.clone())).join(path)
        };
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in relative.components() {
            match part {
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
                Component::ParentDir => {
                    if parts.pop().is_none() {
                        return Located::Outside;
                    }
                }
                Component::Normal(part) => parts.push(part.as_bytes()),
            }
        }
        Located::Inside(parts.join(&b"/"[..]))
    }

    /// How a file of the repository is called from anywhere.
    pub fn absolute(&self, path: &[u8]) -> Vec<u8> {
        let Some(root) = &self.work_tree else { return path.to_vec() };
        let mut name = root.as_os_str().as_bytes().to_vec();
        name.push(b'/');
        name.extend_from_slice(path);
        name
    }

    /// The folder in which the program was started, from the root of the working tree.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Where a file of the repository is on disk, there or not; `None` if no files are checked out.
    pub fn file(&self, path: &[u8]) -> Option<PathBuf> {
        Some(self.work_tree()?.join(OsStr::from_bytes(path)))
    }

    /// Where the files are, if they are anywhere.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }
}

/// How a path from the root of the repository is called from a folder in it.
pub fn relative(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    let from: Vec<&[u8]> = prefix.split(|b| *b == b'/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let shared = shared.min(to.len().saturating_sub(1));
    let mut parts: Vec<&[u8]> = vec![b".."; from.len() - shared];
    parts.extend(&to[shared..]);
    parts.join(&b"/"[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_from_where_the_person_is() {
        let check = |prefix: &str, path: &str, expected: &str| {
            assert_eq!(relative(prefix.as_bytes(), path.as_bytes()), expected.as_bytes(), "{prefix} {path}");
        };
        check("", "src/a.rs", "src/a.rs");
        check("src", "src/a.rs", "a.rs");
        check("src/deep", "src/a.rs", "../a.rs");
        check("docs", "src/a.rs", "../src/a.rs");
        check("src", "src", "../src");
    }
}
