//! Lists that were told already, as JSON text, for as long as nothing that they rest on has changed.
//!
//! Editors and shells ask the same again and again. Whether an answer still holds is seen from a few refs and the
//! times of the files it is about; what cannot be seen so cheaply is not kept.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use postil_core::git::{CommitId, RefName, RepoPath, tree};
use postil_core::protocol::{Fault, FaultCode, HeadName, List, Reply};
use postil_core::review::Branches;
use serde_json::value::RawValue;

use super::book::Edition;
use super::desk::lock;
use super::overlay::still_committed;
use super::scene::Scene;

/// So many lists are kept for a repository: those of a shell and of some editors.
const MAX_KEPT: usize = 4;

/// A longer one is computed again: memory is worth more.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// What of the files on disk an answer rests on.
#[derive(Debug)]
pub(super) enum Ground {
    /// Nothing: it is about a commit.
    Commit,
    /// These are as they are committed.
    Committed(Vec<(RepoPath, Option<tree::Entry>)>),
    /// Some are not as they are committed, or nobody knows.
    Unsettled,
}

/// Lists that were told already.
#[derive(Debug, Default)]
pub(super) struct KeptLists(Mutex<VecDeque<Arc<Kept>>>);

#[derive(Debug)]
struct Kept {
    question: List,
    from: (PathBuf, Option<PathBuf>),
    edition: Edition,
    branches: Branches,
    head: Option<CommitId>,
    rebased: Option<RefName>,
    ground: Ground,
    answer: Arc<RawValue>,
}

impl KeptLists {
    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

impl Scene {
    /// Lists threads, as JSON text.
    pub fn told_list(&self, list: &List) -> Result<Arc<RawValue>, Fault> {
        let kept = lock(&self.desk.kept.0).iter().find(|kept| self.is_asked(kept, list)).cloned();
        if let Some(kept) = &kept
            && self.holds(&kept.ground)?
        {
            return Ok(kept.answer.clone());
        }
        let (reply, ground) = self.grounded_list(list)?;
        let answer = written(&Reply::List(reply))?;
        let mut all = lock(&self.desk.kept.0);
        all.retain(|kept| !(kept.question == *list && kept.from == self.from()));
        let is_named_anew = matches!(list.head, HeadName::Rev(_));
        if !is_named_anew && !matches!(ground, Ground::Unsettled) && answer.get().len() <= MAX_KEPT_BYTES {
            all.truncate(MAX_KEPT - 1);
            all.push_front(Arc::new(Kept {
                question: list.clone(),
                from: self.from(),
                edition: self.book.edition,
                branches: self.branches.clone(),
                head: self.head,
                rebased: self.seat.rebased_branch(),
                ground,
                answer: answer.clone(),
            }));
        }
        Ok(answer)
    }

    fn from(&self) -> (PathBuf, Option<PathBuf>) {
        (self.seat.repository().git_dir().to_owned(), self.seat.work_tree().map(ToOwned::to_owned))
    }

    fn is_asked(&self, kept: &Kept, list: &List) -> bool {
        kept.question == *list
            && kept.edition == self.book.edition
            && kept.head == self.head
            && kept.branches == self.branches
            && kept.from == self.from()
            && kept.rebased == self.seat.rebased_branch()
    }

    fn holds(&self, ground: &Ground) -> Result<bool, Fault> {
        match ground {
            Ground::Commit => Ok(true),
            Ground::Committed(files) => still_committed(&self.seat, files),
            Ground::Unsettled => Ok(false),
        }
    }
}

/// An answer as JSON text.
pub(crate) fn written(reply: &Reply) -> Result<Arc<RawValue>, Fault> {
    let json = serde_json::value::to_raw_value(reply);
    json.map(Arc::from)
        .map_err(|error| Fault::new(FaultCode::Internal, "the answer could not be written").because(&error))
}
