//! Reviews that are shown as one.
//!
//! If two people comment on a branch before they sync, each of them opens a review of it. Neither is dropped: while
//! both are open they are shown as one, under the lower id.

use std::collections::BTreeSet;

use super::change_history::Change;
use super::fact::{Fact, Timed as _};
use super::review::{Review, ReviewState, counting};
use super::thread::Thread;
use super::threads::Threads;
use crate::record::{Judgement, RecordId, RequestRecord, Seq, VerdictRecord};

/// The open reviews of one branch and base, or one review that has ended.
#[derive(Clone, Copy, Debug)]
pub struct ReviewGroup<'a> {
    all: &'a Threads,
    members: &'a [usize],
}

impl<'a> ReviewGroup<'a> {
    pub(super) fn new(all: &'a Threads, members: &'a [usize]) -> Self {
        Self { all, members }
    }

    pub(in crate::review) fn all(self) -> &'a Threads {
        self.all
    }

    /// The id it is shown under.
    pub fn id(self) -> RecordId {
        self.lead().id()
    }

    /// The review with that id, whose title and description are shown and to which new records are added.
    pub fn lead(self) -> &'a Review {
        &self.all.reviews[self.members[0]]
    }

    /// All of them, in ascending order of id.
    pub fn reviews(self) -> impl ExactSizeIterator<Item = &'a Review> {
        self.members.iter().map(|at| &self.all.reviews[*at])
    }

    /// The threads of all of them.
    pub fn threads(self) -> impl Iterator<Item = Thread<'a>> {
        self.reviews().flat_map(move |review| self.all.threads_in(review.id()))
    }

    /// Every verdict, whichever review it names. Oldest first.
    pub fn verdicts(self) -> Vec<&'a Fact<VerdictRecord>> {
        let mut all: Vec<_> = self.reviews().flat_map(Review::verdicts).collect();
        all.sort_by_key(|verdict| verdict.moment());
        all
    }

    /// The verdicts that count: each person's last approval or request for changes, on any of the reviews, and their
    /// comments after it. Oldest first.
    pub fn counting_verdicts(self) -> Vec<&'a Fact<VerdictRecord>> {
        counting(self.verdicts())
    }

    /// One verdict for each person; a comment only of those who gave no other verdict. Oldest first.
    pub fn judgements(self) -> Vec<&'a Fact<VerdictRecord>> {
        let mut counting = self.counting_verdicts();
        let is_judgement = |verdict: &Fact<VerdictRecord>| verdict.said.verdict != Judgement::Comment;
        let judged = counting.iter().filter(|verdict| is_judgement(verdict));
        let judged: BTreeSet<&str> = judged.map(|verdict| verdict.said.author.email.as_str()).collect();
        counting
            .retain(|verdict| is_judgement(verdict) || !judged.contains(verdict.said.author.email.as_str()));
        counting
    }

    /// The requests in force on any of the reviews, one for each person who is asked, oldest first.
    pub fn asked(self) -> Vec<&'a Change<RequestRecord>> {
        let mut all: Vec<_> = self.reviews().flat_map(Review::asked).collect();
        all.sort_by_key(|change| change.said.moment(change.id));
        let mut people = BTreeSet::new();
        all.retain(|change| people.insert(change.said.who.email.as_str()));
        all
    }

    /// The `seq` of the next record about the review.
    pub fn next_seq(self) -> Seq {
        self.reviews().map(Review::next_seq).max().unwrap_or_default()
    }
}

/// Groups the open reviews of one branch and base; each other review is a group of its own.
///
/// `reviews` are in ascending order of id, and so are the groups and their members.
pub(super) fn groups(reviews: &[Review]) -> Vec<Vec<usize>> {
    let (mut open, ended): (Vec<usize>, Vec<usize>) =
        (0..reviews.len()).partition(|at| reviews[*at].state() == ReviewState::Open);
    let subject = |at: &usize| (reviews[*at].branch(), reviews[*at].base());
    open.sort_by(|one, other| subject(one).cmp(&subject(other)));
    let together = open.chunk_by(|one, other| subject(one) == subject(other)).map(<[usize]>::to_vec);
    let mut groups: Vec<Vec<usize>> = together.chain(ended.into_iter().map(|at| vec![at])).collect();
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, EditRecord, StatusWord};
    use crate::review::folding::story::Story;

    const TOPIC: &str = "refs/heads/topic";

    fn members(group: ReviewGroup<'_>) -> Vec<RecordId> {
        group.reviews().map(Review::id).collect()
    }

    fn sorted<const N: usize>(mut ids: [RecordId; N]) -> [RecordId; N] {
        ids.sort();
        ids
    }

    #[test]
    fn open_reviews_of_one_branch_and_base_are_one_under_the_lowest_id() {
        let mut story = Story::default();
        let two = sorted([story.review("ann", TOPIC), story.review("bob", TOPIC)]);
        let other = story.review("ann", "refs/heads/other");
        let here = story.comment_in(two[0], "ann", "why?");
        let there = story.comment_in(two[1], "bob", "why not?");

        let threads = story.threads();
        assert_eq!(threads.groups().len(), 2);
        for id in two {
            let group = threads.group_of(id).unwrap();
            assert_eq!((group.id(), members(group)), (two[0], two.to_vec()));
            assert_eq!(group.threads().map(Thread::id).collect::<Vec<_>>(), [here, there]);
        }
        assert_eq!(members(threads.group_of(other).unwrap()), [other]);
        assert!(threads.group_of(here).is_none());
    }

    #[test]
    fn a_review_that_has_ended_stands_alone() {
        let mut story = Story::default();
        let three =
            sorted([story.review("ann", TOPIC), story.review("bob", TOPIC), story.review("cat", TOPIC)]);
        story.status(three[0], "ann", &[], StatusWord::Merged);
        let threads = story.threads();
        assert_eq!(members(threads.group_of(three[0]).unwrap()), three[..1]);
        assert_eq!(members(threads.group_of(three[2]).unwrap()), three[1..]);
    }

    #[test]
    fn the_branch_and_base_in_force_decide() {
        let mut story = Story::default();
        let (one, other) = (story.review("ann", TOPIC), story.review("bob", "refs/heads/typo"));
        assert_eq!(story.threads().groups().len(), 2);
        let edit = EditRecord { branch: Some(TOPIC.into()), ..story.edit_body(other, "bob", &[]) };
        let edit = story.say(&Body::Edit(edit));
        assert_eq!(members(story.threads().group_of(one).unwrap()), sorted([one, other]));
        let edit = EditRecord {
            branch: Some(TOPIC.into()),
            base: Some(b"refs/heads/next".to_vec()),
            ..story.edit_body(other, "bob", &[edit])
        };
        story.say(&Body::Edit(edit));
        assert_eq!(story.threads().groups().len(), 2, "another base");
    }

    #[test]
    fn a_persons_last_verdict_counts_whichever_of_the_reviews_it_names() {
        let mut story = Story::default();
        let (one, other) = (story.review("ann", TOPIC), story.review("bob", TOPIC));
        story.verdict(one, "cat", Judgement::Changes);
        let last = story.verdict(other, "cat", Judgement::Approve);
        let threads = story.threads();
        let group = threads.group_of(one).unwrap();
        assert_eq!(group.counting_verdicts().iter().map(|verdict| verdict.id).collect::<Vec<_>>(), [last]);
        assert_eq!(group.next_seq().get(), 4);
    }
    #[test]
    fn each_person_has_one_judgement_and_a_comment_only_where_there_is_none() {
        let mut story = Story::default();
        let (one, other) = (story.review("ann", TOPIC), story.review("bob", TOPIC));
        let no = story.verdict(one, "cat", Judgement::Changes);
        let hm = story.verdict(one, "dan", Judgement::Comment);
        let but = story.verdict(other, "cat", Judgement::Comment);
        let threads = story.threads();
        let group = threads.group_of(one).unwrap();
        let ids = |verdicts: Vec<&Fact<VerdictRecord>>| {
            verdicts.iter().map(|verdict| verdict.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(group.judgements()), [no, hm]);
        assert_eq!(ids(group.counting_verdicts()), [no, hm, but]);
        assert_eq!(ids(group.verdicts()), [no, hm, but]);
    }
}
