//! What one request sees: a work tree, its branches, and what the notes say.
//!
//! Everything is looked at once, at the beginning, so that one answer never mixes two moments.

use std::collections::HashSet;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use postil_core::anchoring::Stop;
use postil_core::git::{CommitId, RefName};
use postil_core::record::{Author, RecordId, Timestamp};
use postil_core::review::{Branches, Current, Viewpoint};
use postil_protocol::{Fault, HeadName, Person};

use crate::changes::mark::OwnWrites;
use crate::files::Buffers;
use crate::lists::visible::VisibleThreads;
use crate::notes::index::NotesIndex;
use crate::repository::state::RepositoryState;
use crate::repository::work_tree::WorkTree;
use crate::reviews::follow_up::FollowUp;
use crate::trust::AgentReads;
use crate::writing::warnings::Warnings;

/// So much of what was read is at hand until the request is answered.
const OBJECT_CACHE_BYTES: usize = 4 << 20;

/// What one request sees.
#[derive(Debug)]
pub(crate) struct Request {
    /// The repository.
    pub repository: Arc<RepositoryState>,
    /// The work tree.
    pub work_tree: Arc<WorkTree>,
    /// What the notes say.
    pub notes: Arc<NotesIndex>,
    /// Where the branches are.
    pub branches: Branches,
    /// The commit that is checked out.
    pub head: Option<CommitId>,
    /// What has become of open reviews, if they were looked after.
    pub follow_up: Option<Arc<FollowUp>>,
    /// Signals that the request was cancelled.
    pub stop: Stop,
    /// Who asks, if they say who they are.
    pub asker: Option<Author>,
    /// Which comments who asks gets.
    pub reads: AgentReads,
    /// When it is answered.
    pub now: Timestamp,
    /// Texts that are not saved.
    pub buffers: Buffers,
    /// The objects and settings, as this work tree sees them.
    pub handle: gix::Repository,
    /// What it wrote itself.
    pub own_writes: OwnWrites,
    /// What went wrong after it wrote something.
    pub warnings: Warnings,
    /// What was written on this machine, as far as somebody asked.
    pub here: OnceLock<Arc<HashSet<RecordId>>>,
    /// How many proposals were held against later changes.
    pub proposals_looked_at: AtomicUsize,
}

impl Request {
    /// Looks around.
    pub fn new(
        repository: Arc<RepositoryState>,
        work_tree: Arc<WorkTree>,
        now: Timestamp,
    ) -> Result<Self, Fault> {
        let (branches, head) = (work_tree.branches()?, work_tree.head()?);
        let notes = repository.notes()?;
        // The same few trees are looked into for every file.
        let mut handle = work_tree.repository().handle();
        handle.object_cache_size(OBJECT_CACHE_BYTES);
        let own_writes = OwnWrites::behind(notes.version.notes);
        let (follow_up, stop, buffers) = (None, Stop::default(), Buffers::default());
        Ok(Self {
            repository,
            work_tree,
            notes,
            branches,
            head,
            follow_up,
            stop,
            asker: None,
            reads: AgentReads::All,
            now,
            buffers,
            handle,
            own_writes,
            warnings: Warnings::default(),
            here: OnceLock::new(),
            proposals_looked_at: AtomicUsize::new(0),
        })
    }

    /// The records that were written on this machine.
    pub fn written_here(&self) -> &HashSet<RecordId> {
        self.here.get_or_init(|| self.repository.here.ids())
    }

    /// Lays unsaved texts over the files on disk.
    #[must_use]
    pub fn with_buffers(self, buffers: Buffers) -> Self {
        Self { buffers, ..self }
    }

    /// Says who asks.
    #[must_use]
    pub fn asked_by(self, person: Option<&Person>) -> Self {
        let asker = person.map(|person| Author { name: person.name.clone(), email: person.email.clone() });
        Self { asker, ..self }
    }

    /// Says which comments who asks gets.
    #[must_use]
    pub fn for_reader(self, reads: AgentReads) -> Self {
        Self { reads, ..self }
    }

    /// Makes a long computation cancellable.
    #[must_use]
    pub fn until(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }
}

/// The branch that is checked out.
pub fn current_branch(request: &Request) -> Option<&RefName> {
    match request.branches.current() {
        Current::Branch(name) => Some(name),
        Current::Detached => None,
    }
}

/// The commit that a head is, or is made upon.
pub fn commit_of(request: &Request, head: &HeadName) -> Result<Option<CommitId>, Fault> {
    match head {
        HeadName::WorkTree | HeadName::Head => Ok(request.head),
        HeadName::Rev(rev) => request.work_tree.commit_named(rev).map(Some),
    }
}

/// From where a head looks.
pub fn viewpoint_of(request: &Request, head: &HeadName) -> Result<Viewpoint, Fault> {
    Ok(match head {
        HeadName::WorkTree | HeadName::Head => {
            viewpoint_in(&request.work_tree, &request.branches, request.head)
        }
        HeadName::Rev(rev) => {
            let name = RefName::new(&format!("refs/heads/{rev}")).ok();
            let branch = name.filter(|name| !request.branches.tips(name).is_empty());
            Viewpoint { branch, commit: commit_of(request, head)? }
        }
    })
}

/// The viewpoint of a working tree.
pub fn viewpoint_in(work_tree: &WorkTree, branches: &Branches, head: Option<CommitId>) -> Viewpoint {
    let current = Viewpoint::current(branches, head);
    // Who resolves a conflict in the middle of a rebase wants to see what was said about the branch.
    let branch = current.branch.or_else(|| work_tree.rebased_branch());
    Viewpoint { branch, ..current }
}

/// The threads that a head sees.
pub fn seen_from(request: &Request, head: &HeadName) -> Result<Arc<VisibleThreads>, Fault> {
    request.repository.seen(request, &viewpoint_of(request, head)?)
}
