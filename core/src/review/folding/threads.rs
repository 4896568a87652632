//! All records of a repository, folded into threads and reviews.
//!
//! Only lookups; `fold` builds it, and `visible_threads` decides which threads a head sees.

use std::sync::Arc;

use super::change_history::History;
use super::comment::Comment;
use super::copies::KeyHash;
use super::fact::Fact;
use super::prefixes::Prefixes;
use super::records_by_kind::NotUnderstood;
use super::review::Review;
use super::review_group::ReviewGroup;
use super::sorted_by_id::SortedById;
use super::thread::Thread;
use crate::git::ObjectId;
use crate::record::{Body, RecordId, Seq, SignatureRecord, StatusRecord};

/// All threads and reviews, and all records that are part of none.
///
/// Equal for the same set of records, in any order and with duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// In ascending order of id, like everything here unless noted.
    pub(super) comments: SortedById<CommentInThread>,
    pub(super) reviews: Vec<Review>,
    pub(super) nodes: SortedById<Arc<Node>>,
    /// The threads of each review, whether it is here or not.
    pub(super) by_review: Vec<(RecordId, RecordId)>,
    /// Indices of the reviews that are shown as one, by the first of them.
    pub(super) groups: Vec<Vec<usize>>,
    /// For each review the index of its group.
    pub(super) group_of: Vec<usize>,
    /// Indices of the reviews, in the order of their branches.
    pub(super) by_branch: Vec<usize>,
    /// In ascending order of what is signed.
    pub(super) signatures: Vec<Fact<SignatureRecord>>,
    pub(super) not_understood: Vec<NotUnderstood>,
    pub(super) unplaced: Vec<Fact<Body>>,
    /// The first comments that programs gave a key, by that: those with one key are copies of each other.
    pub(super) keyed: Vec<(KeyHash, RecordId)>,
}

/// A comment, and the thread that it is in.
///
/// Shared with held threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentInThread {
    pub(super) comment: Arc<Comment>,
    pub(super) thread: RecordId,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: RecordId,
    pub(super) root: Option<Arc<Comment>>,
    /// In the order of display.
    pub(super) replies: Vec<Arc<Comment>>,
    pub(super) review: Option<RecordId>,
    /// Statuses of a first comment that is not here; empty if it is here.
    pub(super) rootless_statuses: History<StatusRecord>,
    /// The threads that this one was joined of, the one that is shown first; empty for all others.
    pub(super) parts: Vec<Arc<Node>>,
}

impl Threads {
    /// All threads, in ascending order of id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Thread<'_>> {
        self.nodes.values().iter().map(|node| Thread::of(self, node))
    }

    /// The thread with this first comment, whether or not the comment is here.
    pub fn thread(&self, id: RecordId) -> Option<Thread<'_>> {
        self.nodes.get(id).map(|node| Thread::of(self, node))
    }

    /// The thread that this comment is in.
    pub fn thread_of(&self, comment: RecordId) -> Option<Thread<'_>> {
        self.thread(self.comments.get(comment).map_or(comment, |placed| placed.thread))
    }

    /// The threads of this review, whether or not it is here; also those of which only a copy belongs to it.
    pub fn threads_in(&self, review: RecordId) -> impl Iterator<Item = Thread<'_>> {
        let from = self.by_review.partition_point(|(of, _)| *of < review);
        let of_review = self.by_review[from..].iter().take_while(move |(of, _)| *of == review);
        of_review.filter_map(move |(_, id)| {
            let thread = self.thread_of(*id)?;
            let first = thread.with_copies().find(|part| part.review_id() == Some(review));
            // Several copies in one review are one thread.
            first.is_some_and(|first| first.id() == *id).then_some(thread)
        })
    }

    /// All comments, also replies, in ascending order of id.
    pub fn comments(&self) -> impl ExactSizeIterator<Item = &Comment> {
        self.comments.values().iter().map(|placed| &*placed.comment)
    }

    /// One comment.
    pub fn comment(&self, id: RecordId) -> Option<&Comment> {
        self.comments.get(id).map(|placed| &*placed.comment)
    }

    /// Every review by itself, in ascending order of id.
    pub fn reviews(&self) -> &[Review] {
        &self.reviews
    }

    /// One review.
    pub fn review(&self, id: RecordId) -> Option<&Review> {
        self.review_index(id).map(|at| &self.reviews[at])
    }

    /// The reviews as they are shown: the open ones of one branch and base as one.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = ReviewGroup<'_>> {
        self.groups.iter().map(|members| ReviewGroup::new(self, members))
    }

    /// The reviews of a branch, open or not, by the name that it has in them now.
    pub(in crate::review) fn reviews_in(&self, branch: &[u8]) -> impl Iterator<Item = &Review> {
        let from = self.by_branch.partition_point(|at| self.reviews[*at].branch() < branch);
        let rest = self.by_branch[from..].iter().map(|at| &self.reviews[*at]);
        rest.take_while(move |review| review.branch() == branch)
    }

    /// The group that this review is shown in.
    pub fn group_of(&self, review: RecordId) -> Option<ReviewGroup<'_>> {
        let at = self.review_index(review)?;
        Some(ReviewGroup::new(self, &self.groups[self.group_of[at]]))
    }

    /// The signatures of one record of any kind, whether or not it is here.
    pub fn signatures_of(&self, record: RecordId) -> &[Fact<SignatureRecord>] {
        let from = self.signatures.partition_point(|signature| signature.said.of < record);
        let up_to = self.signatures.partition_point(|signature| signature.said.of <= record);
        &self.signatures[from..up_to]
    }

    /// Every signature, by what is signed.
    pub fn signatures(&self) -> &[Fact<SignatureRecord>] {
        &self.signatures
    }

    /// Records that a later version may have written, and damaged ones.
    pub fn not_understood(&self) -> &[NotUnderstood] {
        &self.not_understood
    }

    /// Edits, statuses, moves and verdicts of something that is not here, or that cannot have one.
    pub fn unplaced(&self) -> &[Fact<Body>] {
        &self.unplaced
    }

    /// The object whose note gets a record about this comment, thread or review.
    pub fn home(&self, id: RecordId) -> Option<ObjectId> {
        self.thread_of(id).map(Thread::home).or_else(|| self.review(id).map(Review::page))
    }

    /// The `seq` of the next record about the thread of this comment, or about this review.
    pub fn next_seq(&self, id: RecordId) -> Option<Seq> {
        self.thread_of(id).map(Thread::next_seq).or_else(|| self.review(id).map(Review::next_seq))
    }

    /// The short ids of all comments and reviews.
    pub fn prefixes(&self) -> Prefixes {
        let comments = self.comments.ids().iter().copied();
        Prefixes::new(comments.chain(self.reviews.iter().map(Review::id)))
    }

    pub(super) fn review_index(&self, id: RecordId) -> Option<usize> {
        self.reviews.binary_search_by_key(&id, Review::id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::PrefixMatch;
    use crate::review::folding::story::{Story, unknown};

    #[test]
    fn comments_and_reviews_have_short_names_and_missing_parents_have_none() {
        let mut story = Story::default();
        let review = story.review("ann", "refs/heads/topic");
        let comment = story.comment("ann", "why?");
        let answer = story.reply(unknown(7), "ann", "because");
        let prefixes = story.threads().prefixes();
        for id in [review, comment, answer] {
            let short = prefixes.shorten(id).to_string();
            assert_eq!(short, id.to_string()[..7]);
            assert_eq!(prefixes.find(&short), PrefixMatch::Unique(id));
        }
        assert_eq!(prefixes.find(&unknown(7).to_string()), PrefixMatch::Unknown);
    }

    #[test]
    fn no_records_are_no_threads() {
        assert_eq!(Story::default().threads(), Threads::default());
    }
}
