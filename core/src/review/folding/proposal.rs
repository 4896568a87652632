//! What was proposed for a comment, and what became of each proposal.
//!
//! A proposal changes nothing. A status or a move of the same comment that names it accepts or declines it.

use std::collections::{BTreeMap, BTreeSet};

use super::change_history::{ChangeState, History};
use super::comment::ThreadState;
use super::fact::Fact;
use crate::record::{MoveRecord, ProposalRecord, RecordId, StatusRecord, StatusWord};

/// One proposal, and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal<'a> {
    /// The record.
    pub fact: &'a Fact<ProposalRecord>,
    /// What became of it.
    pub state: ProposalState,
}

/// What became of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalState {
    /// Nobody has answered it.
    Pending,
    /// Somebody accepted it.
    Accepted,
    /// Somebody declined it.
    Declined,
    /// Its author proposed something else of the same sort later.
    Replaced,
    /// The thread was resolved or withdrawn without an answer to it.
    Settled,
}

/// The state of each of these proposals, which are in the order of display.
pub(super) fn judged<'a>(
    proposals: &'a [Fact<ProposalRecord>],
    statuses: &History<StatusRecord>,
    moves: &History<MoveRecord>,
) -> Vec<Proposal<'a>> {
    let answers = answers(statuses, moves);
    let mut newer = BTreeSet::new();
    let mut all: Vec<Proposal<'a>> = Vec::with_capacity(proposals.len());
    for fact in proposals.iter().rev() {
        let said = &fact.said;
        let is_newest = newer.insert((&said.author.email, said.done.is_some(), said.anchor.is_some()));
        let state = match answers.get(&fact.id) {
            Some(answer) => *answer,
            None if ThreadState::of(statuses) != ThreadState::Open => ProposalState::Settled,
            None if is_newest => ProposalState::Pending,
            None => ProposalState::Replaced,
        };
        all.push(Proposal { fact, state });
    }
    all.reverse();
    all
}

/// The last answer to each proposal.
fn answers(
    statuses: &History<StatusRecord>,
    moves: &History<MoveRecord>,
) -> BTreeMap<RecordId, ProposalState> {
    let moved = moves.changes().iter().filter_map(|change| change.said.proposal);
    let mut answers: BTreeMap<RecordId, ProposalState> =
        moved.map(|proposal| (proposal, ProposalState::Accepted)).collect();
    for change in statuses.changes().iter().filter(|change| change.standing != ChangeState::Void) {
        let Some(proposal) = change.said.proposal else { continue };
        let answer = match change.said.status {
            StatusWord::Open => ProposalState::Declined,
            _ => ProposalState::Accepted,
        };
        answers.insert(proposal, answer);
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Body;
    use crate::review::folding::story::{Story, commit};

    fn states(story: &Story, of: RecordId) -> Vec<(RecordId, ProposalState)> {
        let threads = story.threads();
        let proposals = threads.comment(of).unwrap().proposals();
        proposals.iter().map(|proposal| (proposal.fact.id, proposal.state)).collect()
    }

    #[test]
    fn a_proposal_changes_nothing_until_somebody_accepts_it() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let done = story.proposal(thread, "helper", Some(3), None);
        assert_eq!(states(&story, thread), [(done, ProposalState::Pending)]);
        assert_eq!(story.threads().thread(thread).unwrap().state(), ThreadState::Open);
        let answer = StatusRecord {
            by: Some(commit(3)),
            proposal: Some(done),
            ..story.status_body(thread, "ann", &[], StatusWord::Resolved)
        };
        story.say(&Body::Status(answer));
        assert_eq!(states(&story, thread), [(done, ProposalState::Accepted)]);
        assert_eq!(story.threads().thread(thread).unwrap().state(), ThreadState::Resolved);
    }

    #[test]
    fn a_declined_proposal_leaves_the_thread_open() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let done = story.proposal(thread, "helper", Some(3), None);
        let body = story.status_body(thread, "ann", &[], StatusWord::Open);
        story.say(&Body::Status(StatusRecord { proposal: Some(done), ..body }));
        assert_eq!(states(&story, thread), [(done, ProposalState::Declined)]);
        let again = story.proposal(thread, "helper", Some(4), None);
        assert_eq!(states(&story, thread)[1], (again, ProposalState::Pending));
    }

    #[test]
    fn a_newer_proposal_of_the_same_author_and_sort_replaces_the_older_one() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let first = story.proposal(thread, "helper", Some(3), None);
        let place = story.proposal(thread, "helper", None, Some(9));
        let other = story.proposal(thread, "linter", Some(3), None);
        let second = story.proposal(thread, "helper", Some(4), None);
        let pending = |id: RecordId| (id, ProposalState::Pending);
        let expected = [(first, ProposalState::Replaced), pending(place), pending(other), pending(second)];
        assert_eq!(states(&story, thread), expected);
    }

    #[test]
    fn a_proposal_that_comes_before_its_comment_waits_for_it() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let done = story.proposal(thread, "helper", Some(3), None);
        let half = story.without(thread).threads();
        assert_eq!(half.unplaced().iter().map(|fact| fact.id).collect::<Vec<_>>(), [done]);
        let mut whole = half;
        whole.add(story.records.iter().map(|(page, record)| (*page, record)));
        assert_eq!(whole, story.threads());
    }

    #[test]
    fn what_nobody_answered_is_settled_with_its_thread() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let done = story.proposal(thread, "helper", Some(3), None);
        story.status(thread, "ann", &[], StatusWord::Withdrawn);
        assert_eq!(states(&story, thread), [(done, ProposalState::Settled)]);
    }
}
