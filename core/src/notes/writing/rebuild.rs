//! Builds the notes anew if a part of their tree cannot be read.
//!
//! Reading shows the rest. A write into the missing part needs a tree, so one is made of all that can be read: the rest
//! of the tip, and the newest notes that are whole. The tip is then a lost one (`lost_tips`): it is merged when its
//! objects are back.

use super::write_session::WriteSession;
use crate::git::CommitId;
use crate::notes::NotesError;
use crate::notes::merging::unite::unite;
use crate::notes::reading::contents::Contents;
use crate::notes::reading::readable_tip::{ReadableExtent, newest_readable, readable_tree, unreadable_parts};

/// The message of the commit.
const MESSAGE: &str = "Rebuild the notes without a part that cannot be read";

impl WriteSession<'_> {
    /// Moves the notes ref to a commit of all that can be read, if a part of the tree at the tip cannot; returns
    /// whether it did.
    pub(super) fn rebuild(&mut self) -> Result<bool, NotesError> {
        // In a partial clone, what is missing was never lost: git fetches it.
        let Some(tip) = self.tip()?.filter(|_| !self.repository().is_partial()) else { return Ok(false) };
        let Ok(tree) = readable_tree(&self.repo, tip) else { return Ok(false) };
        let lost = unreadable_parts(&self.repo, tip);
        if lost.is_empty() {
            return Ok(false);
        }
        self.believe_lost(lost.iter().copied())?;
        let (held, _) = Contents::read_readable(&self.repo, tree)?;
        let whole = newest_readable(self.repository(), &self.repo, tip, ReadableExtent::Whole);
        let older = self.contents(self.tree_of(whole)?)?;
        let united = unite(&self.repo, self.reader(), [held, older])?;
        let tree = united.contents.write(&self.repo)?;
        tracing::warn!(%tip, ?lost, ?whole, "a part of the notes could not be read");
        // Before the ref moves: nothing else has the id then.
        self.note_lost_tip(tip);
        let parents: Vec<CommitId> = whole.into_iter().collect();
        self.commit(tree, &parents, Some(tip), MESSAGE)?;
        Ok(true)
    }
}
