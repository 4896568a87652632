//! What an answer rests on: the one notion of it, for everything that is kept in memory.
//!
//! What is kept is used again if its basis is the one of the request, and is made again otherwise.

use std::path::PathBuf;

use postil_core::git::{CommitId, RefName};
use postil_core::review::Branches;
use postil_protocol::{BufferVersion, Fault};

use crate::files::HeadFiles;
use crate::files::head_files::FilesBasis;
use crate::notes::index::NotesVersion;
use crate::request::Request;

/// Where notes, drafts and branches are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefsBasis {
    notes: NotesVersion,
    branches: Branches,
}

/// All that decides an answer but its question.
#[derive(Clone, Debug)]
pub(crate) struct AnswerBasis {
    refs: RefsBasis,
    head: Option<CommitId>,
    rebased: Option<RefName>,
    work_tree: (PathBuf, Option<PathBuf>),
    files: FilesBasis,
    /// The answer repeats the numbers of unsaved texts.
    buffers: Vec<BufferVersion>,
}

/// What of the basis of an answer is otherwise in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BasisChange {
    /// Nothing: it would be answered alike.
    Nothing,
    /// What the notes or the drafts say, and nothing else.
    Notes,
    /// Something else.
    Other,
}

impl RefsBasis {
    /// That of a request.
    pub fn of(request: &Request) -> Self {
        Self { notes: request.notes.version, branches: request.branches.clone() }
    }

    /// Whether a request has the same.
    pub fn is_of(&self, request: &Request) -> bool {
        self.notes == request.notes.version && self.branches == request.branches
    }
}

impl AnswerBasis {
    /// That of an answer which was made with these files.
    pub fn of(request: &Request, files: FilesBasis) -> Self {
        Self {
            refs: RefsBasis::of(request),
            head: request.head,
            rebased: request.work_tree.rebased_branch(),
            work_tree: work_tree(request),
            files,
            buffers: request.buffers.versions(),
        }
    }

    /// What is otherwise in a request; `files` are those of its head.
    pub fn change(&self, request: &Request, files: &HeadFiles<'_>) -> Result<BasisChange, Fault> {
        let same = self.is_seen_from(request)
            && self.head == request.head
            && self.refs.branches == request.branches
            && self.buffers == request.buffers.versions()
            && self.rebased == request.work_tree.rebased_branch();
        Ok(match same && files.agree_with(&self.files)? {
            true if self.refs.notes == request.notes.version => BasisChange::Nothing,
            true => BasisChange::Notes,
            false => BasisChange::Other,
        })
    }

    /// Whether it is of the work tree that a request is about.
    pub fn is_seen_from(&self, request: &Request) -> bool {
        self.work_tree == work_tree(request)
    }
}

fn work_tree(request: &Request) -> (PathBuf, Option<PathBuf>) {
    let git_dir = request.work_tree.repository().git_dir().to_owned();
    (git_dir, request.work_tree.work_tree().map(ToOwned::to_owned))
}
