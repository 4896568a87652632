//! Where threads are in a head, whatever kind of head it is.

use std::sync::Arc;

use postil_core::record::{PositionEntry, PositionState};
use postil_core::review::Thread;
use postil_protocol::{ByteText, Fault, Freshness, HeadName, HeadView, WarningView};

use crate::convert::hex::hex;
use crate::files::HeadFiles;
use crate::files::changed::{Extent, MAX_UNTRACKED};
use crate::positions::in_files::in_files;
use crate::positions::messages::MessageToLocate;
use crate::positions::positions_at::{Bases, PositionsByThread, ThreadToLocate};
use crate::request::{Request, current_branch};

/// Where comments are, and for which head.
#[derive(Debug)]
pub(crate) struct Looked {
    /// By thread.
    pub entries: PositionsByThread,
    /// The head.
    pub head: HeadView,
    /// Whether these are the positions of an earlier head.
    pub resolving: bool,
    /// How files that are not committed differ from the commit.
    pub files: FilesMark,
    /// Where those comments are that were looked for in such files.
    pub moved: PositionsByThread,
}

/// How the files on disk differ from a commit, in what places depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesMark {
    /// It has not been computed.
    Unseen,
    /// They do not, or only the commit counts.
    Committed,
    /// They do; the same number for the same difference.
    Differing(u64),
}

/// Where these threads are.
pub(crate) fn positions_of<'a>(
    request: &Request,
    files: &HeadFiles<'_>,
    freshness: Freshness,
    threads: impl Iterator<Item = Thread<'a>>,
) -> Result<Looked, Fault> {
    let commit = files.commit();
    let threads: Vec<Thread<'a>> = threads.collect();
    let bases = match commit {
        Some(commit) => Bases::find(&request.work_tree, &threads, &request.branches, commit),
        None => Bases::default(),
    };
    let messages: Vec<MessageToLocate<'a>> =
        threads.iter().copied().filter_map(MessageToLocate::of).collect();
    let asked: Vec<ThreadToLocate<'a>> =
        threads.into_iter().filter_map(|thread| ThreadToLocate::of(thread, &bases)).collect();
    let mut resolving = false;
    let mut entries = match commit {
        None => PositionsByThread::new(),
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
                    let new: Vec<ThreadToLocate<'a>> =
                        asked.iter().filter(|asked| !old.contains_key(&asked.id)).copied().collect();
                    let (repository, notes) = (&request.repository, &request.notes);
                    old.extend(placing.place_at_once(repository, notes, &new, &request.stop)?);
                    old
                }
                _ => placing.place(&request.repository, &request.notes, &asked, &request.stop)?,
            }
        }
    };
    let (mut uncommitted, mut differing, mut moved) = (false, FilesMark::Committed, PositionsByThread::new());
    if files.is_work_tree() && !resolving && !asked.is_empty() {
        let found = in_files(request, files, &asked, entries)?;
        (entries, uncommitted) = (found.entries, found.uncommitted);
        if let Some(found) = found.differing {
            (differing, moved) = (FilesMark::Differing(found.hash), found.moved);
        }
    }
    if let Some(commit) = commit.filter(|_| !messages.is_empty()) {
        let placing = request.repository.placing(commit);
        entries.extend(placing.place_messages(&request.handle, &messages, &request.stop)?);
    }
    let branch = match files.name() {
        HeadName::Rev(_) => None,
        HeadName::WorkTree | HeadName::Head => current_branch(request),
    };
    let branch = branch.map(|name| ByteText::new(name.as_bytes()));
    let buffers = if files.is_work_tree() { request.buffers.versions() } else { Vec::new() };
    let head = HeadView { commit: commit.map(hex), branch, uncommitted, buffers };
    Ok(Looked { entries, head, resolving, files: differing, moved })
}

/// That not all files were looked at, where a comment has no place: it may be in one of the others.
pub(crate) fn unsearched_files(files: &HeadFiles<'_>, entries: &PositionsByThread) -> Option<WarningView> {
    let is_orphaned = |entry: &Arc<PositionEntry>| entry.state == PositionState::Orphaned;
    let is_killed = files.extent() == Extent::First && entries.values().any(is_orphaned);
    is_killed.then(|| WarningView {
        what: format!(
            "more than {MAX_UNTRACKED} untracked files: only the first {MAX_UNTRACKED} were searched for \
             orphaned comments; add or ignore some files"
        ),
        advice: None,
    })
}
