//! Which edit, status or move of a target is in force, and what became of the others.
//!
//! A record that another one of its kind on its target names in `over` has lost. Ids are hashes and cannot name
//! future records: nobody wins forever, and there are no circles. Other ids in `over` (unknown records, other kinds,
//! other targets) have no effect.

use std::cmp::Reverse;

use super::fact::{Fact, Timed};
use crate::record::{EditRecord, MoveRecord, RecordId, RequestRecord, StatusRecord};

/// A new record names at most this many in `over`, those that count most.
///
/// Without a bound, somebody could put so many statuses on a thread that one which replaces them all
/// is too large to be a record. The rest stay in force, and the next record can name them.
pub const MAX_OVER: usize = 4096;

/// All edits, statuses or moves of one target, and which of them is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<T> {
    /// In the order of display.
    changes: Vec<Change<T>>,
    /// Indices of those in force; the one that counts comes first.
    in_force: Vec<usize>,
    is_disputed: bool,
}

/// One edit, status or move, and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T> {
    /// The record.
    pub id: RecordId,
    /// Its content.
    pub said: T,
    /// Its state.
    pub standing: ChangeState,
}

/// The state of an edit, status or move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeState {
    /// Nothing has replaced it.
    InForce,
    /// A later one replaced it.
    Lost,
    /// It does not fit its target, such as the status `merged` of a comment.
    Void,
}

impl<T> History<T> {
    /// Sorts changes of one target into the order of display.
    pub(super) fn new(mut changes: Vec<Change<T>>) -> Self
    where
        T: Replacing,
    {
        changes.sort_unstable_by_key(|change| change.said.moment(change.id));
        let mut in_force: Vec<usize> =
            (0..changes.len()).filter(|at| changes[*at].standing == ChangeState::InForce).collect();
        in_force.sort_unstable_by_key(|at| (changes[*at].said.rank(), Reverse(changes[*at].id)));
        let mut said = in_force.iter().map(|at| &changes[*at].said);
        let agree = said.next().is_none_or(|first| said.all(|other| first.agrees(other)));
        Self { changes, in_force, is_disputed: !agree }
    }

    /// Its records, in the order of display.
    pub(super) fn into_facts(self) -> impl Iterator<Item = Fact<T>> {
        self.changes.into_iter().map(|change| Fact { id: change.id, said: change.said })
    }

    /// Every one, oldest first.
    pub fn changes(&self) -> &[Change<T>] {
        &self.changes
    }

    /// The one that counts.
    pub fn in_force(&self) -> Option<&Change<T>> {
        self.contenders().next()
    }

    /// All that are in force; the one that counts comes first.
    pub fn contenders(&self) -> impl ExactSizeIterator<Item = &Change<T>> {
        self.in_force.iter().map(|at| &self.changes[*at])
    }

    /// Whether several are in force that differ.
    pub fn is_disputed(&self) -> bool {
        self.is_disputed
    }

    /// What the next record of this kind on this target must name in `over`, in ascending order.
    ///
    /// At most [`MAX_OVER`] ids.
    pub fn over(&self) -> Vec<RecordId> {
        over(self.contenders())
    }
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self { changes: Vec::new(), in_force: Vec::new(), is_disputed: false }
    }
}

/// The ids for the `over` of a record that replaces these; the most important come first.
pub(super) fn over<'a, T: 'a>(replaced: impl Iterator<Item = &'a Change<T>>) -> Vec<RecordId> {
    let mut ids: Vec<RecordId> = replaced.take(MAX_OVER).map(|change| change.id).collect();
    ids.sort_unstable();
    ids
}

/// Records that replace each other.
pub(super) trait Replacing: Timed {
    /// What it changes.
    fn of(&self) -> RecordId;
    /// The records that it replaces.
    fn over(&self) -> &[RecordId];
    /// Of several in force the lowest counts; of equals, the higher id.
    fn rank(&self) -> u8;
    /// Whether both have the same content.
    fn agrees(&self, other: &Self) -> bool;
}

impl Replacing for EditRecord {
    fn of(&self) -> RecordId {
        self.of
    }

    fn over(&self) -> &[RecordId] {
        &self.over
    }

    fn rank(&self) -> u8 {
        0
    }

    fn agrees(&self, other: &Self) -> bool {
        self.text == other.text
            && self.title == other.title
            && self.description == other.description
            && self.branch == other.branch
            && self.base == other.base
    }
}

impl Replacing for StatusRecord {
    fn of(&self) -> RecordId {
        self.of
    }

    fn over(&self) -> &[RecordId] {
        &self.over
    }

    fn rank(&self) -> u8 {
        self.status as u8
    }

    fn agrees(&self, other: &Self) -> bool {
        self.status == other.status
    }
}

impl Replacing for MoveRecord {
    fn of(&self) -> RecordId {
        self.of
    }

    fn over(&self) -> &[RecordId] {
        &self.over
    }

    fn rank(&self) -> u8 {
        0
    }

    fn agrees(&self, other: &Self) -> bool {
        self.anchor == other.anchor
    }
}

impl Replacing for RequestRecord {
    fn of(&self) -> RecordId {
        self.review
    }

    fn over(&self) -> &[RecordId] {
        &self.over
    }

    fn rank(&self) -> u8 {
        self.request as u8
    }

    fn agrees(&self, other: &Self) -> bool {
        self.who.email != other.who.email || self.request == other.request
    }
}

/// Decides the state of each record of one target.
///
/// `facts` are in ascending order of id. Those that do not `fit` are void and replace nothing; no record replaces what
/// it may not `reach`. A record that was replaced still replaces others. Costs a binary search for each id in an
/// `over`.
pub(super) fn judge<T: Replacing>(
    facts: Vec<Fact<T>>,
    fits: impl Fn(&T) -> bool,
    reaches: impl Fn(&T, &T) -> bool,
) -> Vec<Change<T>> {
    debug_assert!(facts.is_sorted_by_key(|fact| fact.id));
    let mut standings: Vec<ChangeState> = facts
        .iter()
        .map(|fact| if fits(&fact.said) { ChangeState::InForce } else { ChangeState::Void })
        .collect();
    for (by, fact) in facts.iter().enumerate() {
        if standings[by] == ChangeState::Void {
            continue;
        }
        for id in fact.said.over() {
            let Ok(at) = facts.binary_search_by_key(id, |fact| fact.id) else { continue };
            if standings[at] == ChangeState::InForce && reaches(&fact.said, &facts[at].said) {
                standings[at] = ChangeState::Lost;
            }
        }
    }
    let change = |(fact, standing): (Fact<T>, ChangeState)| Change { id: fact.id, said: fact.said, standing };
    facts.into_iter().zip(standings).map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::StatusWord::{self, Merged, Open, Resolved, Withdrawn};
    use crate::review::folding::story::{Story, unknown};
    use crate::review::{Disagreement, ThreadState};

    fn standings<T>(history: &History<T>) -> Vec<ChangeState> {
        history.changes().iter().map(|change| change.standing).collect()
    }

    #[test]
    fn a_status_replaces_the_ones_it_is_over() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let resolved = story.status(thread, "bob", &[], Resolved);
        let reopened = story.status(thread, "ann", &[resolved], Open);
        let withdrawn = story.status(thread, "ann", &[reopened], Withdrawn);

        let threads = story.threads();
        let thread = threads.thread(thread).unwrap();
        assert_eq!(thread.state(), ThreadState::Withdrawn);
        assert_eq!(thread.statuses().in_force().unwrap().id, withdrawn);
        assert_eq!(
            standings(thread.statuses()),
            [ChangeState::Lost, ChangeState::Lost, ChangeState::InForce]
        );
        assert_eq!(thread.disagreements().count(), 0);
    }

    #[test]
    fn of_several_statuses_in_force_the_more_open_one_counts_and_the_thread_says_so() {
        let check_ids = |text: &str, words: &[StatusWord], counts: ThreadState, disputed: bool| {
            let mut story = Story::default();
            let thread = story.comment("ann", text);
            for (who, word) in ["bob", "cat", "dan"].into_iter().zip(words) {
                story.status(thread, who, &[], *word);
            }
            let threads = story.threads();
            let thread = threads.thread(thread).unwrap();
            assert_eq!(thread.state(), counts, "{words:?}");
            assert_eq!(thread.statuses().contenders().len(), words.len(), "{words:?}");
            assert_eq!(thread.statuses().is_disputed(), disputed, "{words:?}");
            assert_eq!(thread.disagreements().count(), usize::from(disputed), "{words:?}");
        };
        // Another text gives other ids, which must make no difference.
        let check = |words: &[StatusWord], counts: ThreadState, disputed: bool| {
            for text in ["why?", "how?", "when?", "where?", "who?", "what?"] {
                check_ids(text, words, counts, disputed);
            }
        };
        check(&[], ThreadState::Open, false);
        check(&[Resolved], ThreadState::Resolved, false);
        check(&[Resolved, Resolved], ThreadState::Resolved, false);
        check(&[Withdrawn, Resolved], ThreadState::Resolved, true);
        check(&[Withdrawn, Open, Resolved], ThreadState::Open, true);
    }

    #[test]
    fn of_several_moves_in_force_the_one_with_the_higher_id_counts() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        let moves = [story.moved(comment, "bob", &[], 3), story.moved(comment, "cat", &[], 4)];

        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        let counts = comment.moves().in_force().unwrap();
        assert_eq!(counts.id, *moves.iter().max().unwrap());
        assert_eq!(comment.comment_anchor(), Some(&counts.said.anchor));
        assert_eq!(comment.disagreements().collect::<Vec<_>>(), [Disagreement::Anchor(comment.moves())]);
    }

    #[test]
    fn a_move_replaces_the_anchor_until_another_replaces_the_move() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        assert_eq!(story.threads().comment(comment).unwrap().anchor(), None);
        let first = story.moved(comment, "bob", &[], 3);
        story.moved(comment, "cat", &[first], 9);
        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        let lines = comment.anchor().unwrap().range.unwrap().span();
        assert_eq!((lines.first(), comment.moves().is_disputed()), (9, false));
    }

    #[test]
    fn over_has_no_effect_on_unknown_records_other_kinds_and_other_targets() {
        let mut story = Story::default();
        let (one, other) = (story.comment("ann", "one"), story.comment("ann", "other"));
        let status_of_one = story.status(one, "bob", &[], Resolved);
        let edit_of_one = story.edit(one, "ann", &[], "one, better");
        let over = [status_of_one, edit_of_one, unknown(9), one];
        story.status(other, "eve", &over, Withdrawn);
        story.moved(one, "eve", &over, 7);

        let threads = story.threads();
        assert_eq!(threads.thread(one).unwrap().state(), ThreadState::Resolved);
        assert_eq!(threads.comment(one).unwrap().text(), "one, better");
    }

    #[test]
    fn a_word_of_reviews_says_nothing_about_a_thread_and_replaces_nothing() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let resolved = story.status(thread, "bob", &[], Resolved);
        let merged = story.status(thread, "eve", &[resolved], Merged);
        let check = |story: &Story, in_force: RecordId, expected: &[ChangeState]| {
            let threads = story.threads();
            let statuses = threads.thread(thread).unwrap().statuses();
            assert_eq!(statuses.over(), [in_force]);
            assert_eq!(standings(statuses), expected);
        };
        check(&story, resolved, &[ChangeState::InForce, ChangeState::Void]);
        let withdrawn = story.status(thread, "ann", &[resolved, merged], Withdrawn);
        check(&story, withdrawn, &[ChangeState::Lost, ChangeState::Void, ChangeState::InForce]);
    }

    #[test]
    fn what_a_lost_record_replaced_stays_lost_and_comes_back_when_the_winner_goes() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        let first = story.status(thread, "bob", &[], Open);
        let second = story.status(thread, "bob", &[first], Resolved);
        let third = story.status(thread, "bob", &[second], Withdrawn);

        let in_force = |story: &Story| story.threads().thread(thread).unwrap().statuses().over();
        assert_eq!(in_force(&story), [third]);
        assert_eq!(in_force(&story.without(third)), [second]);
    }

    #[test]
    fn a_status_over_everything_wins_until_the_next_one() {
        let mut story = Story::default();
        let threads: Vec<RecordId> = (0..20).map(|n| story.comment("ann", &format!("{n}"))).collect();
        let all: Vec<RecordId> = threads.iter().map(|of| story.status(*of, "bob", &[], Open)).collect();
        let everything: Vec<RecordId> = all.iter().cycle().take(50_000).copied().collect();
        let hostile = story.status(threads[0], "eve", &everything, Withdrawn);

        let folded = story.threads();
        let state = |of: RecordId| folded.thread(of).unwrap().state();
        assert_eq!(state(threads[0]), ThreadState::Withdrawn);
        assert!(threads[1..].iter().all(|of| state(*of) == ThreadState::Open));

        story.status(threads[0], "ann", &folded.thread(threads[0]).unwrap().statuses().over(), Open);
        let folded = story.threads();
        let thread = folded.thread(threads[0]).unwrap();
        assert_eq!((thread.state(), thread.statuses().is_disputed()), (ThreadState::Open, false));
        assert_eq!(
            thread.statuses().changes().iter().find(|s| s.id == hostile).unwrap().standing,
            ChangeState::Lost
        );
    }

    #[test]
    fn a_new_record_is_over_a_bounded_number_of_those_that_count_most() {
        let mut story = Story::default();
        let thread = story.comment("ann", "why?");
        for _ in 0..=MAX_OVER {
            story.status(thread, "eve", &[], Withdrawn);
        }
        let open = story.status(thread, "bob", &[], Open);
        let threads = story.threads();
        let over = threads.thread(thread).unwrap().statuses().over();
        assert_eq!(over.len(), MAX_OVER);
        assert!(over.is_sorted() && over.contains(&open));
    }
}
