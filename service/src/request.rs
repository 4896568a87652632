//! What one request sees: a work tree, its branches, and what the notes say.
//!
//! Everything is looked at once, at the beginning, so that one answer never mixes two moments.

use std::sync::Arc;

use postil_core::anchoring::Stop;
use postil_core::git::{CommitId, RefName};
use postil_core::review::{Branches, Current, Thread, Viewpoint};
use postil_protocol::{ByteText, Fault, Freshness, HeadName, HeadView};

use crate::lists::kept::Ground;
use crate::lists::visible::VisibleThreads;
use crate::notes_index::NotesIndex;
use crate::positions::overlay::overlay;
use crate::positions::positions_at::{Asked, Bases, Entries};
use crate::repository::RepositoryState;
use crate::reviews::follow_up::FollowUp;
use crate::view::hex;
use crate::work_tree::WorkTree;

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
    /// What has become of open reviews, where they were looked after.
    pub lookout: Option<Arc<FollowUp>>,
    /// Says when nobody waits for the answer any more.
    pub stop: Stop,
}

/// Where comments are, and for which head.
#[derive(Debug)]
pub(crate) struct Looked {
    /// By thread.
    pub entries: Entries,
    /// The head.
    pub head: HeadView,
    /// Whether these are the positions of an earlier head.
    pub resolving: bool,
    /// What of the files on disk they rest on.
    pub ground: Ground,
}

impl Request {
    /// Looks around.
    pub fn new(repository: Arc<RepositoryState>, work_tree: Arc<WorkTree>) -> Result<Self, Fault> {
        let (branches, head) = (work_tree.branches()?, work_tree.head()?);
        let notes = repository.notes()?;
        Ok(Self { repository, work_tree, notes, branches, head, lookout: None, stop: Stop::default() })
    }

    /// Lets somebody end what takes long.
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

/// The threads that a head sees.
pub fn seen_from(request: &Request, head: &HeadName) -> Result<Arc<VisibleThreads>, Fault> {
    let from = match head {
        HeadName::WorkTree | HeadName::Head => {
            let current = Viewpoint::current(&request.branches, request.head);
            // Who resolves a conflict in the middle of a rebase wants to see what was said about the branch.
            let branch = current.branch.or_else(|| request.work_tree.rebased_branch());
            Viewpoint { branch, ..current }
        }
        HeadName::Rev(rev) => {
            let name = RefName::new(&format!("refs/heads/{rev}")).ok();
            let branch = name.filter(|name| !request.branches.tips(name).is_empty());
            Viewpoint { branch, commit: commit_of(request, head)? }
        }
    };
    request.repository.seen(&request.work_tree, &request.notes, &request.branches, &from)
}

/// Where these threads are.
pub fn positions_of<'a>(
    request: &Request,
    head: &HeadName,
    freshness: Freshness,
    threads: impl Iterator<Item = Thread<'a>>,
) -> Result<Looked, Fault> {
    let commit = commit_of(request, head)?;
    let bases = match commit {
        Some(commit) => Bases::find(&request.work_tree, &request.notes, &request.branches, commit),
        None => Bases::default(),
    };
    let asked: Vec<Asked<'a>> = threads.filter_map(|thread| Asked::of(thread, &bases)).collect();
    let mut resolving = false;
    let mut entries = match commit {
        None => Entries::new(),
        Some(commit) => {
            let placing = request.repository.placing(commit);
            let before = match freshness {
                Freshness::Wait => None,
                Freshness::Now => request.repository.placing_before(commit),
            };
            match before {
                Some(before) if placing.known(&asked).len() < asked.len() => {
                    resolving = true;
                    let mut old = before.remembered(&asked);
                    // New comments are few, and have no old position.
                    let new: Vec<Asked<'a>> =
                        asked.iter().filter(|asked| !old.contains_key(&asked.id)).copied().collect();
                    old.extend(placing.place_at_once(
                        &request.repository,
                        &request.notes,
                        &new,
                        &request.stop,
                    )?);
                    old
                }
                _ => placing.place(&request.repository, &request.notes, &asked, &request.stop)?,
            }
        }
    };
    let mut uncommitted = false;
    let mut ground = if resolving { Ground::Unsettled } else { Ground::Commit };
    if *head == HeadName::WorkTree && !resolving && !asked.is_empty() {
        let overlaid =
            overlay(&request.repository, &request.work_tree, commit, &asked, entries, &request.stop)?;
        (entries, uncommitted, ground) = (overlaid.entries, overlaid.uncommitted, overlaid.ground);
    }
    let branch = match head {
        HeadName::Rev(_) => None,
        HeadName::WorkTree | HeadName::Head => current_branch(request),
    };
    let branch = branch.map(|name| ByteText::new(name.as_bytes()));
    let head = HeadView { commit: commit.map(hex), branch, uncommitted };
    Ok(Looked { entries, head, resolving, ground })
}
