//! The heads that the records of a review name: where its branch was when somebody said something.

use std::collections::BTreeSet;

use super::comment::Comment;
use super::group::ReviewGroup;
use super::thread::Thread;
use crate::git::CommitId;

/// Returns the head the review began at, those that were judged, and those that comments were made on.
pub(super) fn named_by(group: ReviewGroup<'_>) -> BTreeSet<CommitId> {
    let mut heads = BTreeSet::new();
    for review in group.reviews() {
        heads.insert(review.said().head);
        heads.extend(review.verdicts().iter().map(|verdict| verdict.said.head));
    }
    // Only as they were made: who moves a comment may put it on any other branch.
    let anchors = group
        .threads()
        .flat_map(Thread::comments)
        .filter_map(|comment: &Comment| comment.said().anchor.as_ref());
    heads.extend(anchors.filter_map(|anchor| anchor.commit));
    heads
}
