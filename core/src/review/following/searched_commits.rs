//! Commits that are searched for versions of others, and what is known of them so far.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::touched_paths::Touched;
use crate::git::{CommitId, ObjectId, ReadError, RepoPath};
use crate::review::ReviewError;

/// Commits, the oldest first.
pub(in crate::review) struct Searched {
    commits: Vec<CommitId>,
    touching: RefCell<HashMap<RepoPath, Rc<Vec<CommitId>>>>,
    authorships: OnceCell<BTreeMap<Vec<u8>, CommitId>>,
}

impl Searched {
    /// Takes commits that come oldest first.
    pub fn new(commits: Vec<CommitId>) -> Self {
        Self { commits, touching: RefCell::default(), authorships: OnceCell::new() }
    }

    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Those that change `path` against their first parents, the oldest first.
    pub fn touching(&self, touched: &Touched, path: &RepoPath) -> Result<Rc<Vec<CommitId>>, ReviewError> {
        if let Some(known) = self.touching.borrow().get(path) {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        for commit in &self.commits {
            if touched.touches(*commit, path)? {
                found.push(*commit);
            }
        }
        let found = Rc::new(found);
        self.touching.borrow_mut().insert(path.clone(), Rc::clone(&found));
        Ok(found)
    }

    /// The oldest of them that has this [`authorship`].
    pub fn with_authorship(
        &self,
        handle: &gix::Repository,
        authorship_of_other: &Vec<u8>,
    ) -> Result<Option<CommitId>, ReviewError> {
        if let Some(known) = self.authorships.get() {
            return Ok(known.get(authorship_of_other).copied());
        }
        let mut all = BTreeMap::new();
        for commit in &self.commits {
            all.entry(authorship(handle, *commit)?).or_insert(*commit);
        }
        Ok(self.authorships.get_or_init(|| all).get(authorship_of_other).copied())
    }
}

/// Who wrote a commit and when, and its subject: what an amended or rebased commit keeps.
pub(super) fn authorship(handle: &gix::Repository, commit: CommitId) -> Result<Vec<u8>, ReviewError> {
    let damaged = |source| ReadError::Damaged { id: ObjectId::from(commit), source };
    let found = handle.find_commit(commit.raw()).map_err(damaged)?;
    let decoded = found.decode().map_err(damaged)?;
    let subject = decoded.message_summary();
    Ok([&**decoded.author, b"\n", &**subject].concat())
}
