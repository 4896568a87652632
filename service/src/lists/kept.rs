//! Lists that were told already, as JSON text, for as long as nothing that they rest on has changed.
//!
//! Editors and shells ask the same again and again. Whether an answer still holds is seen from a few refs and the
//! times of the files it is about; what cannot be seen so cheaply is not kept.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use postil_core::git::{CommitId, RefName, RepoPath, tree};
use postil_core::review::Branches;
use postil_protocol::{Fault, FaultCode, HeadName, List};
use serde::Serialize;

use crate::lists::texts::listed_text;
use crate::notes_index::NotesVersion;
use crate::positions::overlay::still_committed;
use crate::repository::lock;
use crate::request::Request;

/// So many lists are kept for a repository: those of a shell and of some editors.
const MAX_KEPT: usize = 4;

/// A longer one is computed again: memory is worth more.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// A whole answer as it is sent: several clients may be told the same.
pub type JsonText = Arc<Vec<u8>>;

/// What of the files on disk an answer rests on.
#[derive(Debug)]
pub(crate) enum Ground {
    /// Nothing: it is about a commit.
    Commit,
    /// These are as they are committed.
    Committed(Vec<(RepoPath, Option<tree::Entry>)>),
    /// Some are not as they are committed, or nobody knows.
    Unsettled,
}

/// Lists that were told already.
#[derive(Debug, Default)]
pub(crate) struct KeptLists(Mutex<VecDeque<Arc<Kept>>>);

#[derive(Debug)]
struct Kept {
    standing: Standing,
    ground: Ground,
    answer: JsonText,
}

/// A question, and all that decides its answer but the files on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Standing {
    question: List,
    from: (PathBuf, Option<PathBuf>),
    version: NotesVersion,
    branches: Branches,
    head: Option<CommitId>,
    rebased: Option<RefName>,
}

impl Standing {
    /// Whether an answer can hold for longer than a moment: a commit may be named otherwise any time.
    fn is_lasting(&self) -> bool {
        !matches!(self.question.head, HeadName::Rev(_))
    }
}

impl KeptLists {
    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

/// Lists threads, as JSON text.
pub fn told_list(request: &Request, list: &List) -> Result<JsonText, Fault> {
    let standing = standing_of(request, list);
    let kept = lock(&request.repository.kept.0).iter().find(|kept| kept.standing == standing).cloned();
    if let Some(kept) = &kept
        && still_holds(request, &kept.ground)?
    {
        return Ok(kept.answer.clone());
    }
    let (answer, ground) = listed_text(request, list)?;
    let mut all = lock(&request.repository.kept.0);
    let is_same = |kept: &Standing| kept.question == *list && kept.from == standing.from;
    all.retain(|kept| !is_same(&kept.standing));
    let is_settled = standing.is_lasting() && !matches!(ground, Ground::Unsettled);
    if is_settled && answer.len() <= MAX_KEPT_BYTES {
        all.truncate(MAX_KEPT - 1);
        all.push_front(Arc::new(Kept { standing, ground, answer: answer.clone() }));
    }
    Ok(answer)
}

/// How things stood when this request was looked at.
fn standing_of(request: &Request, list: &List) -> Standing {
    let git_dir = request.work_tree.repository().git_dir().to_owned();
    Standing {
        question: list.clone(),
        from: (git_dir, request.work_tree.work_tree().map(ToOwned::to_owned)),
        version: request.notes.version,
        branches: request.branches.clone(),
        head: request.head,
        rebased: request.work_tree.rebased_branch(),
    }
}

fn still_holds(request: &Request, ground: &Ground) -> Result<bool, Fault> {
    match ground {
        Ground::Commit => Ok(true),
        Ground::Committed(files) => still_committed(&request.work_tree, files),
        Ground::Unsettled => Ok(false),
    }
}

/// An answer as JSON text, for which there is room from the beginning.
pub fn written<T: Serialize>(reply: &T, room: usize) -> Result<JsonText, Fault> {
    let mut text = Vec::with_capacity(room);
    serde_json::to_writer(&mut text, reply).map_err(|error| unwritten(&error))?;
    Ok(Arc::new(text))
}

/// What cannot be written as JSON text, which nothing is.
pub(crate) fn unwritten(error: &serde_json::Error) -> Fault {
    Fault::new(FaultCode::Internal, "the answer could not be written").because(error)
}
