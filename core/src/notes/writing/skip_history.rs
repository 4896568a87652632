//! Leaves commits out of the history of the notes that are missing here and that nobody has to bring.
//!
//! All records are in the tree at the tip, so they can be read. But git neither collects nor pushes a history with a hole.
//! The tip is then a lost one (`lost_tips`): if the missing commits come, it is merged.

use std::collections::{BTreeMap, BTreeSet};

use super::write_session::WriteSession;
use crate::git::{CommitId, ObjectId, history};
use crate::notes::{Committer, NotesError, Store};

/// The message of the commit.
const MESSAGE: &str = "Leave missing commits out of the history of the notes";

/// More parents than this are left out.
const MAX_PARENTS: usize = 16;

impl Store {
    /// Makes the history of the notes one without holes, with the same notes; returns how many commits are missing.
    pub fn skip_missing_history(&self, by: &Committer) -> Result<usize, NotesError> {
        self.session(by)?.retry(|session, checked| session.skip_missing_history(checked.tip))
    }
}

impl WriteSession<'_> {
    fn skip_missing_history(&mut self, tip: Option<CommitId>) -> Result<usize, NotesError> {
        // In a partial clone, what is missing was never lost: git fetches it.
        let Some(tip) = tip.filter(|_| !self.repository().is_partial()) else { return Ok(0) };
        let found = history::between(&self.repo, None, tip)?;
        if found.missing.is_empty() {
            return Ok(0);
        }
        self.believe_lost(found.missing.iter().map(|commit| ObjectId::from(*commit)))?;
        let parents = self.newest_whole(found.commits)?;
        let tree = history::commit(&self.repo, tip)?.tree;
        self.note_lost_tip(tip);
        self.commit(tree, &parents, Some(tip), MESSAGE)?;
        Ok(found.missing.len())
    }

    /// The newest of these commits whose whole history is here; they are given newest first.
    fn newest_whole(&self, commits: Vec<CommitId>) -> Result<Vec<CommitId>, NotesError> {
        let mut parents: BTreeMap<CommitId, Vec<CommitId>> = BTreeMap::new();
        for commit in &commits {
            parents.insert(*commit, history::commit(&self.repo, *commit)?.parents);
        }
        // Times can be wrong, so that a child may come before its parent: until nothing changes.
        let mut broken: BTreeSet<CommitId> = BTreeSet::new();
        loop {
            let before = broken.len();
            let is_gone = |parent: &CommitId, broken: &BTreeSet<CommitId>| {
                broken.contains(parent) || !parents.contains_key(parent)
            };
            for commit in commits.iter().rev() {
                if parents[commit].iter().any(|parent| is_gone(parent, &broken)) {
                    broken.insert(*commit);
                }
            }
            if broken.len() == before {
                break;
            }
        }
        let below: BTreeSet<CommitId> = broken.iter().flat_map(|commit| parents[commit].clone()).collect();
        let mut whole: Vec<CommitId> = commits;
        whole.retain(|commit| below.contains(commit) && !broken.contains(commit));
        whole.truncate(MAX_PARENTS);
        Ok(whole)
    }
}
