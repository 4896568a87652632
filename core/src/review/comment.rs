//! A comment as it stands: its words, its anchor and its status in force.
//!
//! Where the anchor is at some head is a position, and not known here.

use super::fact::{Fact, Moment, Timed, together};
use super::history::{History, judge};
use super::words::Words;
use crate::git::ObjectId;
use crate::record::{self, Anchor, Author, Edit, Move, RecordId, Seq, Status, StatusWord};

/// A comment, with everything that was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    id: RecordId,
    page: ObjectId,
    said: record::Comment,
    words: Words,
    moves: History<Move>,
    statuses: History<Status>,
}

/// What has become of a thread, or of a single reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadState {
    /// Wants attention.
    Open,
    /// Was dealt with.
    Resolved,
    /// Was taken back.
    Withdrawn,
}

/// Several records in force that do not say the same; the one that counts comes first in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement<'a> {
    /// About what the comment says.
    Words(&'a History<Edit>),
    /// About whether it is open, resolved or withdrawn.
    Status(&'a History<Status>),
    /// About what it is on.
    Anchor(&'a History<Move>),
}

impl Comment {
    pub(super) fn new(id: RecordId, page: ObjectId, said: record::Comment) -> Self {
        let (words, moves, statuses) = <_>::default();
        Self { id, page, said, words, moves, statuses }
    }

    /// Takes note that it stands in this note too.
    pub(super) fn stands_in(&mut self, page: ObjectId) {
        self.page = self.page.min(page);
    }

    pub(super) fn add_edits(&mut self, more: Vec<Fact<Edit>>) {
        let facts = together(std::mem::take(&mut self.words).into_facts(), more);
        self.words = Words::new(facts, &self.said.author, |edit| edit.text.is_some());
    }

    pub(super) fn add_moves(&mut self, more: Vec<Fact<Move>>) {
        let facts = together(std::mem::take(&mut self.moves).into_facts(), more);
        self.moves = History::new(judge(facts, |_| true, |_, _| true));
    }

    pub(super) fn add_statuses(&mut self, more: Vec<Fact<Status>>) {
        self.statuses = ThreadState::history(std::mem::take(&mut self.statuses), more);
    }

    /// Its record.
    pub fn id(&self) -> RecordId {
        self.id
    }

    /// What carries the note it stands in; of several, the lowest.
    pub fn page(&self) -> ObjectId {
        self.page
    }

    /// The record as it was made; [`Comment::text`] and [`Comment::anchor`] are what is in force.
    pub fn said(&self) -> &record::Comment {
        &self.said
    }

    /// The words in force.
    pub fn text(&self) -> &str {
        let edited = self.words.edits().in_force().and_then(|edit| edit.said.text.as_deref());
        edited.unwrap_or(&self.said.text)
    }

    /// What it is on, now that people may have moved it; `None`: the whole review.
    pub fn anchor(&self) -> Option<&Anchor> {
        let moved = self.moves.in_force().map(|moved| &moved.said.anchor);
        moved.or(self.said.anchor.as_ref())
    }

    /// Its edits, and what others would have it say.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// By whom it was put elsewhere.
    pub fn moves(&self) -> &History<Move> {
        &self.moves
    }

    /// By whom it was resolved, withdrawn or opened again; for a thread's first comment, the thread.
    pub fn statuses(&self) -> &History<Status> {
        &self.statuses
    }

    /// What has become of it; for a reply this says nothing about its thread.
    pub fn state(&self) -> ThreadState {
        ThreadState::of(&self.statuses)
    }

    /// What people disagree about.
    pub fn disagreements(&self) -> impl Iterator<Item = Disagreement<'_>> {
        let words = self.words.edits().is_disputed().then_some(Disagreement::Words(self.words.edits()));
        let status = self.statuses.is_disputed().then_some(Disagreement::Status(&self.statuses));
        let anchor = self.moves.is_disputed().then_some(Disagreement::Anchor(&self.moves));
        [words, status, anchor].into_iter().flatten()
    }

    /// What a new edit by `editor` must name in `over`.
    pub fn over_for_edit(&self, editor: &Author) -> Vec<RecordId> {
        self.words.over(&self.said.author, editor)
    }

    /// Its place in the order of display.
    pub(super) fn moment(&self) -> Moment {
        self.said.moment(self.id)
    }

    /// The `seq` of everything that was said about it, and its own.
    pub(super) fn seqs(&self) -> impl Iterator<Item = Seq> {
        let edits = self.words.changes().map(|change| change.said.seq);
        let moves = self.moves.changes().iter().map(|change| change.said.seq);
        edits.chain(moves).chain(self.statuses.changes().iter().map(|c| c.said.seq)).chain([self.said.seq])
    }
}

impl ThreadState {
    pub(super) fn of(statuses: &History<Status>) -> Self {
        match statuses.in_force().map(|status| status.said.status) {
            Some(StatusWord::Resolved) => Self::Resolved,
            Some(StatusWord::Withdrawn) => Self::Withdrawn,
            // A thread is open until somebody says otherwise; the words of reviews are void here.
            None | Some(StatusWord::Open | StatusWord::Merged | StatusWord::Closed) => Self::Open,
        }
    }

    /// Judges the statuses of a thread, or of a single reply: those that are known, and more.
    pub(super) fn history(known: History<Status>, more: Vec<Fact<Status>>) -> History<Status> {
        History::new(judge(together(known.into_facts(), more), Self::has_word, |_, _| true))
    }

    /// Whether a status says something about threads.
    fn has_word(status: &Status) -> bool {
        matches!(status.status, StatusWord::Open | StatusWord::Resolved | StatusWord::Withdrawn)
    }
}
