//! What happened to a thread or a review, told by what it was and what it is.
//!
//! Compares what people said and did; where things stand in files is not looked at.

use postil_protocol::{Happened, Hex, ReviewStatus, ReviewView, ThreadStatus, ThreadView, What};

/// What happened to a thread; `noted` tells whether the notes moved meanwhile.
pub(crate) fn to_thread(
    before: Option<&ThreadView>,
    now: Option<&ThreadView>,
    noted: Noted,
) -> Vec<Happened> {
    let Some(id) = now.or(before).map(|thread| thread.id.clone()) else { return Vec::new() };
    let what = match (before, now) {
        // Another branch that is checked out brings its threads into view, and nobody said anything.
        (None, Some(now)) if noted == Noted::Yes || now.draft => begun(now),
        (None, _) => vec![What::Seen],
        (Some(_), None) => vec![What::Gone],
        (Some(before), Some(now)) => thread_changes(before, now),
    };
    all(&id, what)
}

/// What happened to a review that is there now.
pub(crate) fn to_review(before: Option<&ReviewView>, now: &ReviewView) -> Vec<Happened> {
    let what = match before {
        None => vec![What::Started],
        Some(before) => review_changes(before, now),
    };
    all(&now.id, what)
}

/// Whether the notes moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// They did, so that somebody said or did something.
    Yes,
    /// They did not.
    No,
}

fn all(id: &Hex, what: Vec<What>) -> Vec<Happened> {
    what.into_iter().map(|what| Happened { of: id.clone(), what }).collect()
}

/// A new thread, and what was said and done about it before anybody looked.
fn begun(now: &ThreadView) -> Vec<What> {
    let more = [
        (true, What::Commented),
        (now.replies > 0, What::Replied),
        (now.status != ThreadStatus::Open, as_status(now.status)),
    ];
    told(&more)
}

fn thread_changes(before: &ThreadView, now: &ThreadView) -> Vec<What> {
    let text = |thread: &ThreadView| thread.comments.first().map(|root| root.text.clone());
    let changes = [
        (before.draft && !now.draft, What::Published),
        (now.replies > before.replies, What::Replied),
        (text(before) != text(now), What::Edited),
        (before.anchor != now.anchor, What::Moved),
        (before.status != now.status, as_status(now.status)),
    ];
    told(&changes)
}

fn review_changes(before: &ReviewView, now: &ReviewView) -> Vec<What> {
    let words = |review: &ReviewView| (review.title.clone(), review.description.clone(), review.base.clone());
    let status = match now.status {
        ReviewStatus::Open => What::Reopened,
        ReviewStatus::Merged => What::Merged,
        ReviewStatus::Closed => What::Closed,
    };
    let changes = [
        (before.draft && !now.draft, What::Published),
        (words(before) != words(now), What::Edited),
        (before.branch != now.branch, What::Moved),
        (before.verdicts != now.verdicts, What::Judged),
        (before.status != now.status, status),
    ];
    told(&changes)
}

fn as_status(status: ThreadStatus) -> What {
    match status {
        ThreadStatus::Open => What::Reopened,
        ThreadStatus::Resolved => What::Resolved,
        ThreadStatus::Withdrawn => What::Withdrawn,
    }
}

/// Those that are so; something else changed where none is.
fn told(changes: &[(bool, What)]) -> Vec<What> {
    let told: Vec<What> = changes.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    if told.is_empty() { vec![What::Changed] } else { told }
}
