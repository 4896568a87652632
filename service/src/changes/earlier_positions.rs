//! Where comments were at an earlier mark.

use std::sync::Arc;

use postil_core::git::history;
use postil_core::record::{AnchorSide, PositionEntry};
use postil_core::review::{Branches, Thread};
use postil_protocol::Fault;

use crate::changes::mark::PlacesMark;
use crate::changes::reported_positions::PlacesSeen;
use crate::positions::in_head::FilesMark;
use crate::positions::messages::MessageToLocate;
use crate::positions::positions_at::{Bases, PositionsAt, ThreadToLocate};
use crate::request::Request;

/// Where comments were at an earlier mark, as far as this is known.
pub(crate) struct EarlierPositions {
    at: Option<Arc<PositionsAt>>,
    /// What was in files on disk.
    pub seen: Option<Arc<PlacesSeen>>,
    is_known: bool,
}

impl EarlierPositions {
    /// Looks up what is known.
    pub fn find(request: &Request, then: Option<&PlacesMark>) -> Self {
        let Some(then) = then else { return Self { at: None, seen: None, is_known: false } };
        let at = then.head.map(|head| request.repository.placing(head));
        match then.files {
            FilesMark::Committed | FilesMark::Unseen => Self { at, seen: None, is_known: true },
            FilesMark::Differing(files) => {
                let seen = request.repository.places_seen.at(then.head, files);
                Self { at, is_known: seen.is_some(), seen }
            }
        }
    }

    /// Locates the threads that this process has not located at that commit; `branches` are those of that
    /// time.
    pub fn work_out(
        &self,
        request: &Request,
        threads: &[Thread<'_>],
        branches: Option<&Branches>,
    ) -> Result<(), Fault> {
        let Some(at) = self.at.as_ref().filter(|_| self.is_known) else { return Ok(()) };
        // Where deleted lines were depends on where the branches were.
        let can_be_found = |thread: &Thread<'_>| branches.is_some() || !is_on_deleted_lines(*thread);
        let is_missing = |thread: &Thread<'_>| at.last_known(thread.id()).is_none();
        let missing: Vec<Thread<'_>> =
            threads.iter().copied().filter(is_missing).filter(can_be_found).collect();
        if missing.is_empty() || history::commit(&request.handle, at.head()).is_err() {
            return Ok(());
        }
        let branches = branches.unwrap_or(&request.branches);
        let bases = Bases::find(&request.work_tree, &missing, branches, at.head());
        let messages: Vec<MessageToLocate<'_>> =
            missing.iter().copied().filter_map(MessageToLocate::of).collect();
        at.place_messages(&request.handle, &messages, &request.stop)?;
        let asked: Vec<ThreadToLocate<'_>> =
            missing.into_iter().filter_map(|thread| ThreadToLocate::of(thread, &bases)).collect();
        at.place(&request.repository, &request.notes, &asked, &request.stop).map(drop)
    }

    /// Whether it is unknown which position of a thread was reported.
    pub fn is_rebased(&self, thread: Thread<'_>) -> bool {
        self.at.as_ref().is_some_and(|at| at.is_rebased(thread.id()))
    }

    /// Where a thread was.
    pub fn place(&self, thread: Thread<'_>) -> Option<Arc<PositionEntry>> {
        let in_files = self.seen.as_ref().and_then(|seen| seen.moved.get(&thread.id()).cloned());
        let at_commit = || self.at.as_ref()?.last_known(thread.id());
        in_files.or_else(at_commit).filter(|_| self.is_known)
    }
}

/// Whether a thread is on lines that are not there any more, so that its place depends on the base.
pub(crate) fn is_on_deleted_lines(thread: Thread<'_>) -> bool {
    thread.anchor().is_some_and(|anchor| matches!(anchor.side, AnchorSide::Old(_)))
}
