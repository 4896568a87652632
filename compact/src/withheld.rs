//! Comments that nobody vouches for, for readers that get only their number.

use postil_protocol::{
    ChangeView, CommentTrust, CommentView, CompactAuthor, Person, ThreadView, WarningView,
};

/// What stands where such a comment is.
const WITHHELD: &str = "(withheld)";

/// Replaces whatever strangers chose in these threads; returns how many comments that were.
pub(crate) fn withhold(threads: &mut [ThreadView]) -> usize {
    threads.iter_mut().map(withhold_in).sum()
}

/// Whether somebody vouches for what was done in these threads, so that even who did it can be told.
pub(crate) fn is_vouched_for(change: &ChangeView, threads: &[ThreadView]) -> bool {
    let mut comments = threads.iter().flat_map(|thread| &thread.comments);
    let said = comments.find(|comment| Some(&comment.id) == change.record.as_ref());
    said.is_some_and(|said| is_trusted(said.trust))
}

/// Whether a reader that gets only what somebody vouches for learns anything from this: what was said, or else the thread in
/// which something was done, is vouched for.
pub fn is_told_to_trusting(change: &ChangeView, threads: &[ThreadView]) -> bool {
    let comments = || threads.iter().flat_map(|thread| &thread.comments);
    let said = comments().find(|comment| Some(&comment.id) == change.record.as_ref());
    said.or_else(|| comments().find(|comment| comment.id == change.of)).is_some_and(is_vouched)
}

/// Whether somebody vouches for a comment.
pub fn is_vouched(comment: &CommentView) -> bool {
    is_trusted(comment.trust)
}

/// Who did what nobody vouches for.
pub(crate) fn withheld_author() -> CompactAuthor {
    CompactAuthor { by: WITHHELD.to_owned(), ..CompactAuthor::default() }
}

fn is_trusted(trust: CommentTrust) -> bool {
    matches!(trust, CommentTrust::Signed | CommentTrust::Here)
}

/// What is said if comments are withheld.
pub(crate) fn withheld_warning(count: usize) -> Option<WarningView> {
    let comments = if count == 1 { "comment is" } else { "comments are" };
    let what = format!("{count} {comments} withheld: neither signed nor written here (postil.agentsRead)");
    (count > 0).then_some(WarningView { what, advice: None })
}

fn withhold_in(thread: &mut ThreadView) -> usize {
    let is_withheld = |comment: &CommentView| !comment.withdrawn && !is_trusted(comment.trust);
    let root = thread.id.clone();
    let is_of_stranger = thread.comments.iter().any(|comment| comment.id == root && is_withheld(comment));
    let mut count = 0;
    for comment in thread.comments.iter_mut().filter(|comment| is_withheld(comment)) {
        count += 1;
        WITHHELD.clone_into(&mut comment.text);
        comment.author = Person::new(WITHHELD, "");
        comment.suggestion = None;
    }
    if is_of_stranger {
        // The lines and the path that it was put on are whatever its author says.
        thread.anchor = None;
        thread.severity = None;
    }
    // Who proposes something is not checked.
    for proposal in &mut thread.proposals {
        proposal.author = Person::new(WITHHELD, "");
        proposal.text.clear();
        (proposal.place, proposal.message) = (None, None);
    }
    count
}
