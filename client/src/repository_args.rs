//! Which repository a program is about, found as git would find it.

use std::path::{Path, PathBuf};

use postil_core::git::{ConfigScope, OpenError, Repository};

use crate::checkout::Checkout;
use crate::error::SessionError;
use crate::git_parameters::parameters;

/// What the command line and the environment say about the repository.
#[derive(Clone, Debug, Default)]
pub struct RepositoryArgs {
    /// The folder in which to look, after every `-C`.
    pub directory: PathBuf,
    /// `--git-dir`, or `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `--work-tree`, or `GIT_WORK_TREE`.
    pub work_tree: Option<PathBuf>,
    /// `GIT_CEILING_DIRECTORIES`.
    pub ceilings: Vec<PathBuf>,
}

impl RepositoryArgs {
    /// Takes what the command line says, and otherwise what the environment says.
    pub fn new(directory: PathBuf, git_dir: Option<PathBuf>, work_tree: Option<PathBuf>) -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
        Self {
            directory,
            git_dir: git_dir.or_else(|| variable("GIT_DIR")),
            work_tree: work_tree.or_else(|| variable("GIT_WORK_TREE")),
            ceilings: std::env::split_paths(&ceilings).filter(|dir| dir.is_absolute()).collect(),
        }
    }

    /// Takes what the environment says, and looks in `directory`.
    pub fn around(directory: impl Into<PathBuf>) -> Self {
        Self::new(directory.into(), None, None)
    }

    /// Finds the repository.
    pub fn find(&self) -> Result<Checkout, SessionError> {
        let directory = self
            .directory
            .canonicalize()
            .map_err(|source| SessionError::Directory { path: self.directory.clone(), source })?;
        let repo = match &self.git_dir {
            Some(git_dir) => Repository::open(&directory.join(git_dir), ConfigScope::AsGit),
            None => Repository::discover(&directory, ConfigScope::AsGit),
        };
        let repo = repo.map_err(|error| SessionError::NoRepository(Box::new(error)))?;
        if self.git_dir.is_none() && self.is_beyond_ceiling(&directory, &repo) {
            return Err(SessionError::Ceiling);
        }
        let mut handle = repo.handle();
        give(&mut handle, parameters())?;
        let work_tree = match (&self.work_tree, &self.git_dir) {
            (Some(work_tree), _) => directory.join(work_tree).canonicalize().ok(),
            // If only the git directory is named, the work tree is where the program was started, as in git.
            (None, Some(_)) if !is_bare(&handle) && !has_work_tree(&handle) => Some(directory.clone()),
            (None, _) => repo.work_tree().and_then(|root| root.canonicalize().ok()),
        };
        Ok(Checkout::new(repo, handle, work_tree, &directory))
    }

    fn is_beyond_ceiling(&self, directory: &Path, repo: &Repository) -> bool {
        let root = repo.work_tree().unwrap_or(repo.git_dir());
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_below = |path: &Path, ceiling: &Path| path.starts_with(ceiling) && path != ceiling;
        self.ceilings.iter().any(|ceiling| is_below(directory, ceiling) && !is_below(&root, ceiling))
    }
}

/// The git directory of the repository around a folder; there need not be one, but there must be the folder.
pub fn git_dir_around(directory: &Path) -> Result<Option<PathBuf>, SessionError> {
    match Repository::discover(directory, ConfigScope::AsGit) {
        Ok(repository) => Ok(Some(repository.git_dir().to_owned())),
        Err(missing @ OpenError::Resolve { .. }) => Err(SessionError::NoRepository(Box::new(missing))),
        Err(_) => Ok(None),
    }
}

/// Puts settings that count for one command above those of the repository.
fn give(handle: &mut gix::Repository, parameters: Vec<String>) -> Result<(), SessionError> {
    if parameters.is_empty() {
        return Ok(());
    }
    let mut config = handle.config_snapshot_mut();
    let given = config.append_config(parameters, gix::config::Source::Cli).map(drop);
    given.map_err(|error| SessionError::UnreadableParameter(error.into()))?;
    config.commit().map(drop).map_err(|error| SessionError::InvalidParameter(error.into()))
}

/// A git directory that does not say has files, as in git.
fn is_bare(handle: &gix::Repository) -> bool {
    handle.config_snapshot().boolean("core.bare") == Some(true)
}

fn has_work_tree(handle: &gix::Repository) -> bool {
    handle.config_snapshot().string("core.worktree").is_some()
}
