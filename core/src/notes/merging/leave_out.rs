//! Leaves entries that git refuses out of a notes tree, and keeps the commit that has them.

use super::unite::unite;
use crate::git::{CommitId, RepoPath, TreeId, history};
use crate::notes::reading::contents::Contents;
use crate::notes::refs;
use crate::notes::writing::memory_objects::{edit_tree, put_tree};
use crate::notes::writing::write_session::WriteSession;
use crate::notes::{NotesError, Store};

/// A notes tree that git accepts.
#[derive(Debug)]
pub(in crate::notes) struct Cleaned {
    /// The tree; the one that was read, if nothing is wrong with it.
    pub tree: TreeId,
    /// What is in it.
    pub held: Contents,
    /// What was left out.
    pub refused: Vec<RepoPath>,
}

impl WriteSession<'_> {
    /// Reads the tree of a notes commit, and makes one of it that git accepts.
    ///
    /// What is left out stays reachable from [`refs::REFUSED`].
    pub(in crate::notes) fn clean(&mut self, commit: CommitId, tree: TreeId) -> Result<Cleaned, NotesError> {
        let held = self.contents(Some(tree))?;
        if held.is_clean() {
            return Ok(Cleaned { tree, held, refused: Vec::new() });
        }
        let refused: Vec<RepoPath> = held.refused.iter().cloned().collect();
        if !refused.is_empty() {
            self.keep_refused(commit, refused.len())?;
        }
        let held = unite(&self.repo, self.reader(), [held])?.contents;
        Ok(Cleaned { tree: held.write(&self.repo)?, held, refused })
    }

    /// Makes [`refs::REFUSED`] lead to a commit as well.
    fn keep_refused(&mut self, commit: CommitId, entries: usize) -> Result<(), NotesError> {
        let kept = self.read_ref(refs::REFUSED)?;
        if let Some(kept) = kept
            && history::is_ancestor(&self.repo, commit, kept)?
        {
            return Ok(());
        }
        tracing::warn!(%commit, entries, "left out entries that git refuses");
        // An empty tree: what is refused is in the tree of the last parent.
        let nothing = put_tree(&self.repo, edit_tree(&self.repo, None)?)?;
        let parents: Vec<CommitId> = kept.into_iter().chain([commit]).collect();
        let message = format!("Keep entries that git refuses: {entries}");
        self.move_local_ref(refs::REFUSED, kept, nothing, &parents, &message)
    }
}

impl Store {
    /// Returns the entries that were last left out of the notes because git refuses them, in ascending order.
    pub fn refused_entries(&self) -> Result<Vec<RepoPath>, NotesError> {
        let Some(kept) = self.read_ref_or_backup(refs::REFUSED)? else { return Ok(Vec::new()) };
        let handle = self.repository().handle();
        let Some(last) = history::commit(&handle, kept)?.parents.last().copied() else {
            return Ok(Vec::new());
        };
        self.refused_in(last)
    }

    /// Returns the entries of a notes commit that git refuses, in ascending order.
    pub fn refused_in(&self, commit: CommitId) -> Result<Vec<RepoPath>, NotesError> {
        let handle = self.repository().handle();
        let tree = history::commit(&handle, commit)?.tree;
        Ok(Contents::read_readable(&handle, tree)?.0.refused.into_iter().collect())
    }
}
