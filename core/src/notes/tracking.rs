//! What the remotes have, as of the last fetch or push.

use super::{Committer, NotesError, Store};
use crate::git::{CommitId, Durability, LogEntry, RefName, RefUpdate, WriterLock};

impl Store {
    /// Returns the tip that a remote had at the last fetch or push; `tracking` is the ref where its notes are kept
    /// here.
    pub fn tracked(&self, tracking: &RefName) -> Result<Option<CommitId>, NotesError> {
        Ok(self.repository().read_ref(tracking)?.map(|id| id.raw().into()))
    }

    /// Whether this can be the tip of notes, if its object is here: a remote may have anything under that name.
    pub fn may_be_notes(&self, tip: CommitId) -> bool {
        let header = self.repository().handle().find_header(tip.raw());
        header.map_or(true, |header| header.kind() == gix::object::Kind::Commit)
    }

    /// Remembers that a remote has `tip` now, without a fetch.
    pub fn track(&self, tracking: &RefName, tip: CommitId, by: &Committer) -> Result<(), NotesError> {
        let patience = self.options().patience;
        let mut writer = WriterLock::acquire(self.repository(), patience)?;
        let update = RefUpdate {
            name: tracking,
            expected: self.repository().read_ref(tracking)?,
            new: Some(tip.into()),
            log: LogEntry { committer: by.signature(), message: "postil: sent" },
            durability: Durability::Relaxed,
            patience,
        };
        Ok(writer.swap(&update)?)
    }
}
