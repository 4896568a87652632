//! A comment as it is now: its text, anchor and status in force.
//!
//! Where the anchor is at some head is a position, which is not known here.

use super::change_history::{History, judge};
use super::fact::{Fact, Moment, Timed, together};
use super::proposal::{self, Proposal};
use super::text_edits::TextEdits;
use crate::git::ObjectId;
use crate::record::{
    self, Anchor, Author, CommentAnchor, EditRecord, MessageAnchor, MoveRecord, ProposalRecord, RecordId,
    Seq, StatusRecord, StatusWord,
};

/// A comment, with everything that was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    id: RecordId,
    page: ObjectId,
    said: record::CommentRecord,
    words: TextEdits,
    moves: History<MoveRecord>,
    statuses: History<StatusRecord>,
    /// In the order of display.
    proposals: Vec<Fact<ProposalRecord>>,
}

/// The state of a thread, or of a single reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadState {
    /// Still to be dealt with.
    Open,
    /// Resolved.
    Resolved,
    /// Withdrawn.
    Withdrawn,
}

/// Several records in force that differ; the one that counts comes first in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement<'a> {
    /// About the text of the comment.
    Words(&'a History<EditRecord>),
    /// About whether it is open, resolved or withdrawn.
    Status(&'a History<StatusRecord>),
    /// About where it is.
    Anchor(&'a History<MoveRecord>),
}

impl Comment {
    pub(super) fn new(id: RecordId, page: ObjectId, said: record::CommentRecord) -> Self {
        let (words, moves, statuses, proposals) = <_>::default();
        Self { id, page, said, words, moves, statuses, proposals }
    }

    /// Records that it is in this note too.
    pub(super) fn also_in_note(&mut self, page: ObjectId) {
        self.page = self.page.min(page);
    }

    pub(super) fn add_edits(&mut self, more: Vec<Fact<EditRecord>>) {
        let facts = together(std::mem::take(&mut self.words).into_facts(), more);
        self.words = TextEdits::new(facts, &self.said.author, |edit| edit.text.is_some());
    }

    pub(super) fn add_moves(&mut self, more: Vec<Fact<MoveRecord>>) {
        let facts = together(std::mem::take(&mut self.moves).into_facts(), more);
        self.moves = History::new(judge(facts, |_| true, |_, _| true));
    }

    pub(super) fn add_statuses(&mut self, more: Vec<Fact<StatusRecord>>) {
        self.statuses = ThreadState::history(std::mem::take(&mut self.statuses), more);
    }

    pub(super) fn add_proposals(&mut self, more: Vec<Fact<ProposalRecord>>) {
        self.proposals = together(std::mem::take(&mut self.proposals).into_iter(), more);
        self.proposals.sort_unstable_by_key(Fact::moment);
    }

    /// The same, with what was done to its copies.
    pub(super) fn joined<'a>(&self, copies: impl Iterator<Item = &'a Comment>) -> Self {
        let mut joined = self.clone();
        for copy in copies {
            joined.add_edits(copy.words.clone().into_facts().collect());
            joined.add_moves(copy.moves.clone().into_facts().collect());
            joined.add_statuses(copy.statuses.clone().into_facts().collect());
            joined.add_proposals(copy.proposals.clone());
        }
        joined
    }

    /// Its record.
    pub fn id(&self) -> RecordId {
        self.id
    }

    /// The object whose note it is in; of several, the lowest.
    pub fn page(&self) -> ObjectId {
        self.page
    }

    /// The record as it was made; [`Comment::text`] and [`Comment::anchor`] are what is in force.
    pub fn said(&self) -> &record::CommentRecord {
        &self.said
    }

    /// The text in force.
    pub fn text(&self) -> &str {
        let edited = self.words.edits().in_force().and_then(|edit| edit.said.text.as_deref());
        edited.unwrap_or(&self.said.text)
    }

    /// What it is on, after moves by people; `None`: the whole review.
    pub fn comment_anchor(&self) -> Option<&CommentAnchor> {
        let moved = self.moves.in_force().map(|moved| &moved.said.anchor);
        moved.or(self.said.anchor.as_ref())
    }

    /// Where it is in a file, after moves by people; `None`: it is on the whole review or on a message.
    pub fn anchor(&self) -> Option<&Anchor> {
        self.comment_anchor().and_then(CommentAnchor::file)
    }

    /// The message that it is on.
    pub fn message(&self) -> Option<&MessageAnchor> {
        self.comment_anchor().and_then(CommentAnchor::message)
    }

    /// What was proposed for it, oldest first.
    pub fn proposals(&self) -> Vec<Proposal<'_>> {
        proposal::judged(&self.proposals, &self.statuses, &self.moves)
    }

    /// Its edits, and the edits that others propose.
    pub fn words(&self) -> &TextEdits {
        &self.words
    }

    /// Its moves by people.
    pub fn moves(&self) -> &History<MoveRecord> {
        &self.moves
    }

    /// Its statuses; those of a thread's first comment are those of the thread.
    pub fn statuses(&self) -> &History<StatusRecord> {
        &self.statuses
    }

    /// Its state; the state of a reply is not that of its thread.
    pub fn state(&self) -> ThreadState {
        ThreadState::of(&self.statuses)
    }

    /// The disagreements about it.
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

    /// Its own `seq`, and those of all records about it.
    pub(super) fn seqs(&self) -> impl Iterator<Item = Seq> {
        let edits = self.words.changes().map(|change| change.said.seq);
        let moves = self.moves.changes().iter().map(|change| change.said.seq);
        let proposals = self.proposals.iter().map(|proposal| proposal.said.seq);
        edits
            .chain(moves)
            .chain(proposals)
            .chain(self.statuses.changes().iter().map(|c| c.said.seq))
            .chain([self.said.seq])
    }
}

impl ThreadState {
    pub(super) fn of(statuses: &History<StatusRecord>) -> Self {
        match statuses.in_force().map(|status| status.said.status) {
            Some(StatusWord::Resolved) => Self::Resolved,
            Some(StatusWord::Withdrawn) => Self::Withdrawn,
            // A thread is open until somebody says otherwise; the words of reviews are void here.
            None | Some(StatusWord::Open | StatusWord::Merged | StatusWord::Closed) => Self::Open,
        }
    }

    /// Decides which statuses of a thread or a reply are in force, of those that are known and `more`.
    pub(super) fn history(
        known: History<StatusRecord>,
        more: Vec<Fact<StatusRecord>>,
    ) -> History<StatusRecord> {
        History::new(judge(together(known.into_facts(), more), Self::has_word, |_, _| true))
    }

    /// Whether a status is one of threads.
    fn has_word(status: &StatusRecord) -> bool {
        matches!(status.status, StatusWord::Open | StatusWord::Resolved | StatusWord::Withdrawn)
    }
}
