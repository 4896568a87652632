//! Writes positions back into the notes, without filling the history with them.

use std::collections::BTreeSet;

use memchr::memmem;

use super::write_session::WriteSession;
use crate::git::{CommitId, ObjectId, history};
use crate::notes::merging::unite::{read_page, unite, write_page};
use crate::notes::reading::note_blobs::NoteBlobs;
use crate::notes::reading::page_scan::unite_positions;
use crate::notes::refs;
use crate::notes::{Committer, NotesError, Store};
use crate::record::{Page, PositionsRecord, RawEntry, Record, RecordId};

/// The subject of a commit that has only positions.
const SUBJECT: &str = "Note where comments are now";

/// Where comments are at one head, to be written to the notes.
#[derive(Clone, Debug)]
pub struct HeadPositions {
    /// The head.
    pub head: CommitId,
    /// Its own time, in seconds since 1970.
    pub time: i64,
    /// One for each comment.
    pub entries: Vec<RawEntry>,
}

impl Store {
    /// Writes positions; better ones that are there already stay.
    ///
    /// If the tip has only positions and is on no remote, it is replaced. Returns the tip. Costs a scan of the whole
    /// store, to keep only the newest heads.
    pub fn write_positions(
        &self,
        heads: &[HeadPositions],
        by: &Committer,
    ) -> Result<Option<CommitId>, NotesError> {
        self.session(by)?.retry(|session, checked| session.write_positions(heads, checked.tip))
    }
}

impl WriteSession<'_> {
    fn write_positions(
        &mut self,
        heads: &[HeadPositions],
        tip: Option<CommitId>,
    ) -> Result<Option<CommitId>, NotesError> {
        let tree = self.tree_of(tip)?;
        let before = self.contents(tree)?;
        let mut contents = before.clone();
        for new in heads {
            let object = ObjectId::from(new.head);
            let page = contents.notes.get(&object).map(|blobs| read_page(&self.repo, blobs));
            let mut page = match page.transpose() {
                Ok(page) => page.unwrap_or_default(),
                // Positions can be computed again; a note whose blob is not here cannot be written to.
                Err(NotesError::ReadNote { .. }) => continue,
                Err(error) => return Err(error),
            };
            let before = page.to_bytes();
            for record in PositionsRecord::records(new.head, new.time, new.entries.iter().cloned()) {
                page.insert(record);
            }
            unite_positions(&mut page, object, &BTreeSet::new());
            if page.to_bytes() != before {
                contents.notes.insert(object, NoteBlobs::one(write_page(&self.repo, &page)?));
            }
        }
        let union = unite(&self.repo, self.reader(), [contents])?;
        self.believe_lost(union.missed)?;
        let united = union.contents;
        if united == before {
            return Ok(tip);
        }
        let new_tree = united.write(&self.repo)?;
        let parents = match tip {
            Some(tip) if self.is_replaceable(tip)? => history::commit(&self.repo, tip)?.parents,
            tip => tip.into_iter().collect(),
        };
        self.commit(new_tree, &parents, tip, SUBJECT).map(Some)
    }

    /// Whether a commit has only positions, and nobody else can have it.
    fn is_replaceable(&self, tip: CommitId) -> Result<bool, NotesError> {
        let info = history::commit(&self.repo, tip)?;
        if info.parents.len() > 1 || !self.subject_is(tip, SUBJECT) {
            return Ok(false);
        }
        // By annotated object, not by path: one more note can move all others to another directory.
        let before = self.contents(self.tree_of(info.parents.first().copied())?)?;
        let after = self.contents(Some(info.tree))?;
        if (before.pins, before.foreign) != (after.pins, after.foreign) {
            return Ok(false);
        }
        for object in before.notes.keys().chain(after.notes.keys()) {
            let (old, new) = (before.notes.get(object), after.notes.get(object));
            if old != new && self.ids_without_positions(old)? != self.ids_without_positions(new)? {
                return Ok(false);
            }
        }
        self.is_unseen(tip)
    }

    /// The records of a note that are not positions; text of other programs counts as one too.
    fn ids_without_positions(&self, note: Option<&NoteBlobs>) -> Result<BTreeSet<RecordId>, NotesError> {
        let page = note.map_or_else(|| Ok(Page::default()), |blobs| read_page(&self.repo, blobs))?;
        Ok(page.records().filter(|record| !record.is(PositionsRecord::KIND)).map(Record::id).collect())
    }

    /// Whether no tracking ref of a remote's notes contains `tip`.
    fn is_unseen(&self, tip: CommitId) -> Result<bool, NotesError> {
        let mut following = Vec::new();
        for dir in [refs::REMOTES, "refs/notes/", "refs/remotes/"] {
            following.extend(self.repository().list_refs(dir)?.refs);
        }
        let seen = following.into_iter().any(|(name, id)| {
            let name = name.as_bytes();
            let is_ours = name == refs::NOTES.as_bytes();
            let is_branch = name.starts_with(b"refs/remotes/") && memmem::find(name, b"/notes/").is_none();
            // Of a ref that leads nowhere nobody knows what it led to.
            !is_ours && !is_branch && history::is_ancestor(&self.repo, tip, id.raw().into()).unwrap_or(true)
        });
        Ok(!seen)
    }

    fn subject_is(&self, commit: CommitId, subject: &str) -> bool {
        let found = self.repo.find_commit(commit.raw());
        found.is_ok_and(|found| {
            found.message_raw().is_ok_and(|message| message.starts_with(subject.as_bytes()))
        })
    }
}
