//! A `git notes merge` of our notes that somebody began and has not finished.
//!
//! `git notes merge --commit` fails if the ref has moved since, so nothing of ours moves it until then. Git keeps the
//! state of such a merge in the git directory of the working tree where it was begun.

use std::fs;
use std::path::{Path, PathBuf};

use super::{NotesError, Store, refs};
use crate::git::Repository;

/// Names the ref that is being merged into.
const MERGE_REF: &str = "NOTES_MERGE_REF";

/// What was merged so far; without it git has nothing to commit.
const PARTIAL: &str = "NOTES_MERGE_PARTIAL";

/// A `git notes merge` of our notes that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMerge {
    /// The git directory of the working tree where it was begun.
    pub git_dir: PathBuf,
}

impl OpenMerge {
    /// Looks in the git directories of all working trees.
    pub(super) fn of(repo: &Repository) -> Option<Self> {
        let common_dir = repo.common_dir();
        let linked = fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
        let mut git_dirs = std::iter::once(common_dir.to_owned()).chain(linked.map(|entry| entry.path()));
        git_dirs.find(|git_dir| is_merging(git_dir)).map(|git_dir| Self { git_dir })
    }

    /// Returns the working tree where it was begun, if it is known; the git directory of a bare repository.
    pub fn place(&self) -> PathBuf {
        let linked = fs::read_to_string(self.git_dir.join("gitdir")).ok();
        let dot_git = linked.map_or_else(|| self.git_dir.clone(), |file| self.git_dir.join(file.trim_end()));
        match dot_git.file_name() {
            Some(name) if name == ".git" => dot_git.parent().unwrap_or(&dot_git).to_owned(),
            _ => dot_git,
        }
    }
}

fn is_merging(git_dir: &Path) -> bool {
    let Ok(into) = fs::read_to_string(git_dir.join(MERGE_REF)) else { return false };
    into.strip_prefix("ref:").is_some_and(|name| name.trim() == refs::NOTES)
        && git_dir.join(PARTIAL).is_file()
}

impl Store {
    /// Returns the `git notes merge` of our notes that is not finished, if there is one.
    ///
    /// Until it is, writing records fails with [`NotesError::MergeOpen`]; drafts can be added.
    pub fn open_merge(&self) -> Option<OpenMerge> {
        OpenMerge::of(self.repository())
    }

    pub(super) fn refuse_open_merge(repo: &Repository) -> Result<(), NotesError> {
        OpenMerge::of(repo).map_or(Ok(()), |merge| Err(NotesError::MergeOpen { git_dir: merge.git_dir }))
    }
}
