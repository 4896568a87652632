//! What a record is about: a thread, or a review.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::record::{Body, Record, RecordId};
use postil_core::review::{Review, Thread, Threads};

use crate::view;

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// A thread, whether it is here or not.
    Thread(RecordId),
    /// A review, whether it is here or not; not the id of what it is shown as.
    Review(RecordId),
}

/// Says what records are about.
pub(crate) struct Subjects<'a> {
    threads: &'a Threads,
    /// Other records that may be meant, among them such as are not here any more.
    others: BTreeMap<RecordId, Body>,
}

impl<'a> Subjects<'a> {
    /// Those of `threads`, and of these records.
    pub fn new(threads: &'a Threads, others: impl IntoIterator<Item = &'a Record>) -> Self {
        let read = |record: &Record| Some((record.id(), record.body().ok()?));
        Self { threads, others: others.into_iter().filter_map(read).collect() }
    }

    /// What the record with this id says, if it is one of those that were given.
    pub fn body(&self, id: RecordId) -> Option<&Body> {
        self.others.get(&id)
    }

    /// What the record with this id is about; `None` if it is about neither, or is not known.
    pub fn of(&self, id: RecordId) -> Option<Subject> {
        // Records may name each other in a circle; the number of steps is limited.
        let mut next = id;
        let mut passed = BTreeSet::new();
        while passed.insert(next) {
            if self.threads.comment(next).is_some() || self.threads.thread(next).is_some() {
                return self.threads.thread_of(next).map(|thread| Subject::Thread(thread.id()));
            }
            if self.threads.review(next).is_some() {
                return Some(Subject::Review(next));
            }
            let Some(body) = self.others.get(&next) else { return self.searched(next, id) };
            next = match body {
                Body::Review(_) => return Some(Subject::Review(next)),
                Body::Comment(comment) => match comment.parent {
                    None => return Some(Subject::Thread(next)),
                    // What answers a review begins a thread.
                    Some(parent) if self.is_review(parent) => return Some(Subject::Thread(next)),
                    Some(parent) if self.is_known(parent) => parent,
                    Some(parent) => return Some(Subject::Thread(parent)),
                },
                Body::Edit(edit) => edit.of,
                Body::Status(status) => status.of,
                Body::Move(moved) => moved.of,
                Body::Verdict(verdict) => verdict.review,
                Body::Proposal(proposal) => proposal.of,
                Body::Request(request) => request.review,
                Body::Signature(signature) => signature.of,
                Body::Purge(_) | Body::Positions(_) | Body::Text(_) | Body::Leftover(_) => return None,
            };
        }
        None
    }

    fn is_review(&self, id: RecordId) -> bool {
        self.threads.review(id).is_some() || matches!(self.others.get(&id), Some(Body::Review(_)))
    }

    fn is_known(&self, id: RecordId) -> bool {
        self.threads.comment(id).is_some() || self.others.contains_key(&id)
    }

    /// Looks for a record of which only the id is known, if a signature leads to it: it may be any.
    fn searched(&self, wanted: RecordId, from: RecordId) -> Option<Subject> {
        if !matches!(self.others.get(&from), Some(Body::Signature(_))) {
            return None;
        }
        let thread = self.threads.iter().find(|thread| view::records_of(*thread).contains(&wanted));
        let of_review = |review: &&Review| {
            review.verdicts().iter().any(|verdict| verdict.id == wanted)
                || review.requests().changes().iter().any(|change| change.id == wanted)
                || review.statuses().changes().iter().any(|change| change.id == wanted)
                || review.words().edits().changes().iter().any(|change| change.id == wanted)
        };
        let review = || self.threads.reviews().iter().find(of_review);
        thread
            .map(|thread| Subject::Thread(thread.id()))
            .or_else(|| review().map(|review| Subject::Review(review.id())))
    }
}

/// The threads whose review, or whether they are seen, may be another because something was said about a review.
pub(crate) fn threads_of_review(threads: &Threads, review: RecordId) -> BTreeSet<RecordId> {
    let mut of: BTreeSet<RecordId> = threads.threads_in(review).map(Thread::id).collect();
    for other in namesakes(threads, review) {
        of.extend(threads.threads_in(other).map(Thread::id));
    }
    of
}

/// The other reviews of the same branch, now or once: which of them are shown as one may change.
pub(crate) fn namesakes(threads: &Threads, review: RecordId) -> Vec<RecordId> {
    let Some(this) = threads.review(review) else { return Vec::new() };
    let shares = |other: &&Review| {
        other.id() != review && (other.was_called(this.branch()) || this.was_called(other.branch()))
    };
    threads.reviews().iter().filter(shares).map(Review::id).collect()
}
