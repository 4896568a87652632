//! One work tree of a repository: what is checked out there.
//!
//! The notes belong to all work trees alike, and are the repository's.

use std::path::{Path, PathBuf};

use postil_core::git::{CommitId, RefName, Repository, TreeId, history};
use postil_core::review::Branches;
use postil_protocol::{Advice, Fault, FaultCode};

use crate::convert::fault::{OrFault as _, damaged};

/// One work tree, or a bare repository.
#[derive(Debug)]
pub(crate) struct WorkTree {
    repo: Repository,
    work_tree: Option<PathBuf>,
}

impl WorkTree {
    /// Sits down; `work_tree` counts before what the repository says.
    pub fn new(repo: Repository, work_tree: Option<PathBuf>) -> Self {
        let work_tree = work_tree.or_else(|| repo.work_tree().map(Path::to_owned));
        Self { repo, work_tree }
    }

    /// The repository, as this work tree sees it.
    pub fn repository(&self) -> &Repository {
        &self.repo
    }

    /// Where the files are, if they are anywhere.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// The branches as they are now, and which is checked out.
    pub fn branches(&self) -> Result<Branches, Fault> {
        Branches::read(&self.repo).or_fault()
    }

    /// The branch that a rebase is under way of, which nothing has checked out meanwhile.
    pub fn rebased_branch(&self) -> Option<RefName> {
        let states = ["rebase-merge", "rebase-apply"];
        let names = states.iter().map(|state| self.repo.git_dir().join(state).join("head-name"));
        names.filter_map(|name| std::fs::read(name).ok()).find_map(|name| {
            let name = name.trim_ascii_end();
            RefName::from_bytes(name).ok().filter(|name| name.as_bytes().starts_with(b"refs/heads/"))
        })
    }

    /// The commit that is checked out; `None` on a branch without commits.
    pub fn head(&self) -> Result<Option<CommitId>, Fault> {
        let handle = self.repo.handle();
        let head = handle.head().map_err(|error| damaged("could not read HEAD", &error))?;
        Ok(head.id().map(|id| CommitId::from(id.detach())))
    }

    /// The commit that git would take `rev` for.
    pub fn commit_named(&self, rev: &str) -> Result<CommitId, Fault> {
        let handle = self.repo.handle();
        let none = || {
            Fault::new(FaultCode::NoSuchPlace, format!("no such commit: {rev:?}")).advise(Advice::ListCommits)
        };
        let is_id = rev.len() == handle.object_hash().len_in_hex()
            && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
        let found = handle.rev_parse_single(rev).map_err(|error| {
            // Of an id, that it is not here is all there is to say.
            if is_id { none() } else { none().because(&error) }
        })?;
        let object = found.object().map_err(|error| none().because(&error))?;
        let commit =
            object.peel_to_kind(gix::object::Kind::Commit).map_err(|error| none().because(&error))?;
        Ok(CommitId::from(commit.id))
    }

    /// The files of a commit.
    pub fn tree_of(&self, commit: CommitId) -> Result<TreeId, Fault> {
        Ok(history::commit(&self.repo.handle(), commit).or_fault()?.tree)
    }
}
