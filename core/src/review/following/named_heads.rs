//! The heads that the records of a review name: where its branch was when somebody wrote something.

use std::collections::BTreeSet;

use crate::git::CommitId;
use crate::record::CommentAnchor;
use crate::review::folding::comment::Comment;
use crate::review::folding::review_group::ReviewGroup;
use crate::review::folding::thread::Thread;

/// Returns the head at which the review began, the heads of verdicts, and those of comments.
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
    heads.extend(anchors.filter_map(CommentAnchor::commit));
    heads
}
