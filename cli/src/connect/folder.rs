//! Which repository a command is about, as git would find it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use postil_core::git::{Repository, Settings};
use postil_protocol::{ByteText, RepositoryName};

use super::parameters::parameters;
use crate::failure::{Failure, Kind};

/// What the command line and the environment say about the repository.
#[derive(Clone, Debug, Default)]
pub struct Whereabouts {
    /// Where the command was started, after every `-C`.
    pub directory: PathBuf,
    /// `--git-dir`, or `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `--work-tree`, or `GIT_WORK_TREE`.
    pub work_tree: Option<PathBuf>,
    /// `GIT_CEILING_DIRECTORIES`.
    pub ceilings: Vec<PathBuf>,
}

/// A repository that was found, and where in it the command was started.
#[derive(Debug)]
pub struct Folder {
    /// Open until the process ends, which takes it apart faster than anybody else.
    repo: &'static Repository,
    /// What its settings are read through: made once, since a command asks for a dozen of them.
    handle: gix::Repository,
    work_tree: Option<PathBuf>,
    /// The folder in which the command was started, from the root of the work tree.
    prefix: Vec<u8>,
}

/// A path that a person gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// From the root of the repository; empty for the root itself.
    Inside(Vec<u8>),
    /// Not in the work tree.
    Outside,
}

impl Whereabouts {
    /// Takes what the command line says, and else what the environment says.
    pub fn new(directory: PathBuf, git_dir: Option<PathBuf>, work_tree: Option<PathBuf>) -> Self {
        let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
        Self {
            directory,
            git_dir: git_dir.or_else(|| said("GIT_DIR")),
            work_tree: work_tree.or_else(|| said("GIT_WORK_TREE")),
            ceilings: std::env::split_paths(&ceilings).filter(|dir| dir.is_absolute()).collect(),
        }
    }

    /// Finds the repository.
    pub fn find(&self) -> Result<Folder, Failure> {
        let directory = self.directory.canonicalize().map_err(|error| {
            Failure::new(Kind::Unavailable, format!("cannot go to {}", self.directory.display()))
                .because(error)
                .hint("name a folder that exists with `-C DIR`")
        })?;
        let repo = match &self.git_dir {
            Some(git_dir) => Repository::open(&directory.join(git_dir), Settings::AsGit),
            None => Repository::discover(&directory, Settings::AsGit),
        };
        let repo = repo.map_err(|error| {
            Failure::new(Kind::Unavailable, "this is no repository that can be used")
                .because(error)
                .hint("run it inside a git repository, or name one with `-C DIR`")
        })?;
        if self.git_dir.is_none() && self.is_beyond_ceiling(&directory, &repo) {
            return Err(Failure::new(Kind::Unavailable, "this is no repository that can be used")
                .because("GIT_CEILING_DIRECTORIES ends the search before one is found")
                .hint("run it inside a git repository, or name one with `-C DIR`"));
        }
        let repo: &'static Repository = Box::leak(Box::new(repo));
        let mut handle = repo.handle();
        give(&mut handle, parameters())?;
        let work_tree = match (&self.work_tree, &self.git_dir) {
            (Some(work_tree), _) => directory.join(work_tree).canonicalize().ok(),
            // Who names the git directory alone stands in the work tree, as git has it.
            (None, Some(_)) if !is_bare(&handle) && !configured(&handle) => Some(directory.clone()),
            (None, _) => repo.work_tree().and_then(|root| root.canonicalize().ok()),
        };
        let prefix = work_tree.as_ref().and_then(|root| directory.strip_prefix(root).ok());
        let prefix = prefix.map(|prefix| prefix.as_os_str().as_bytes().to_vec()).unwrap_or_default();
        Ok(Folder { repo, handle, work_tree, prefix })
    }

    fn is_beyond_ceiling(&self, directory: &Path, repo: &Repository) -> bool {
        let root = repo.work_tree().unwrap_or(repo.git_dir());
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_below = |path: &Path, ceiling: &Path| path.starts_with(ceiling) && path != ceiling;
        self.ceilings.iter().any(|ceiling| is_below(directory, ceiling) && !is_below(&root, ceiling))
    }
}

/// Puts settings that count for one command above those of the repository.
fn give(handle: &mut gix::Repository, parameters: Vec<String>) -> Result<(), Failure> {
    if parameters.is_empty() {
        return Ok(());
    }
    let mut config = handle.config_snapshot_mut();
    let given = config.append_config(parameters, gix::config::Source::Cli).map(drop);
    given.map_err(|error| {
        Failure::new(Kind::Usage, "a setting that `git -c` gave cannot be understood")
            .because(error)
            .hint("give it as `git -c NAME=VALUE postil …`")
    })?;
    config.commit().map(drop).map_err(|error| {
        Failure::new(Kind::Usage, "a setting that `git -c` gave cannot be used")
            .because(error)
            .hint("`git help config` tells what it may be")
    })
}

/// A git directory that says nothing has files, as git has it.
fn is_bare(handle: &gix::Repository) -> bool {
    handle.config_snapshot().boolean("core.bare") == Some(true)
}

fn configured(handle: &gix::Repository) -> bool {
    handle.config_snapshot().string("core.worktree").is_some()
}

impl Folder {
    /// The repository, for what only a client asks of it: its configuration.
    pub fn repository(&self) -> &Repository {
        self.repo
    }

    /// The settings of git.
    pub fn settings(&self) -> gix::config::Snapshot<'_> {
        self.handle.config_snapshot()
    }

    /// How the service is told which repository it is.
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

    /// A setting of git that is a path: `~` is somebody's home, and where it is not absolute it begins where git runs
    /// hooks, at the root of the work tree, or in the git directory of a bare repository.
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

    /// Words that name a file of the repository, with the name that it has for who stands here.
    pub fn told(&self, path: &[u8], words: &str) -> String {
        if self.prefix.is_empty() || path.is_empty() {
            return words.to_owned();
        }
        let here = relative(&self.prefix, path);
        words.replace(&*String::from_utf8_lossy(path), &String::from_utf8_lossy(&here))
    }

    /// The folder in which the command was started, from the root of the work tree.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Where a file of the repository is on disk, there or not; `None` where no files are checked out.
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
