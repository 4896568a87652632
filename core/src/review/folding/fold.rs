//! Puts records together into threads and reviews: all of them at once, or more of them later.
//!
//! Which record wins is decided in `change_history` and `text_edits`, and which thread a reply belongs to in
//! `thread_roots`. Here every record is put in its place. One whose target is not here is kept until the target
//! comes.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::change_history::{History, Replacing};
use super::comment::{Comment, ThreadState};
use super::fact::{Fact, by_target};
use super::records_by_kind::RecordsByKind;
use super::review::Review;
use super::review_group;
use super::thread_roots::{self, ChainEnd, Parent};
use super::threads::{CommentInThread, Node, Threads};
use crate::git::ObjectId;
use crate::record::{
    Body, EditRecord, MoveRecord, ProposalRecord, Record, RecordId, RequestRecord, SignatureRecord,
    StatusRecord, VerdictRecord,
};

/// Facts of one kind about one target.
type About<T> = (RecordId, Vec<Fact<T>>);

impl Threads {
    /// Folds the records of all notes, each with the annotated object.
    ///
    /// Their order makes no difference, and neither do duplicates. Purged records must have been removed already. Costs
    /// n log n, whatever the records name.
    pub fn fold<R: Borrow<Record> + Sync>(records: impl IntoIterator<Item = (ObjectId, R)>) -> Self {
        Self::fold_on(records, NonZeroUsize::MIN)
    }

    /// As [`Threads::fold`], on this many OS threads; their number does not change the result.
    pub fn fold_on<R: Borrow<Record> + Sync>(
        records: impl IntoIterator<Item = (ObjectId, R)>,
        threads: NonZeroUsize,
    ) -> Self {
        let mut all = Self::default();
        all.add_on(records, threads);
        all
    }

    /// Adds more records; the result is the same as if all were folded at once.
    ///
    /// Costs reading them and folding their threads; the number of other threads hardly matters.
    pub fn add<R: Borrow<Record> + Sync>(&mut self, records: impl IntoIterator<Item = (ObjectId, R)>) {
        self.add_on(records, NonZeroUsize::MIN);
    }

    fn add_on<R: Borrow<Record> + Sync>(
        &mut self,
        records: impl IntoIterator<Item = (ObjectId, R)>,
        threads: NonZeroUsize,
    ) {
        let mut new = RecordsByKind::read(records, threads);
        let keys = self.keys_touched(&new);
        self.part_copies(&keys);
        self.pass_over_known(&mut new);
        self.note_keys(&new.comments);
        self.put_what_stands_alone(&mut new);
        self.take_up_answers(&mut new);
        let mut regroup = !new.reviews.is_empty();
        let arrived: Vec<RecordId> = new.reviews.iter().map(Review::id).collect();
        put_in_order(&mut self.reviews, std::mem::take(&mut new.reviews), Review::id);
        let threads_of = self.threads_of(&new.comments);
        let begun = threads_of.iter().copied().filter(|id| self.nodes.get(*id).is_none());
        let awaited: BTreeSet<RecordId> =
            new.comments.iter().map(Comment::id).chain(arrived).chain(begun).collect();
        self.take_up_facts(&mut new, &awaited);

        regroup |= self.put_edits(new.edits, &mut new.comments);
        self.put_moves(new.moves, &mut new.comments);
        self.put_proposals(new.proposals, &mut new.comments);
        let (of_reviews, unclaimed) = self.put_statuses(new.statuses, &mut new.comments);
        regroup |= of_reviews;
        self.put_verdicts(new.verdicts);
        self.put_requests(new.requests);
        self.put_comments(new.comments, threads_of);
        self.put_rootless_statuses(unclaimed);
        self.unplaced.sort_by_key(|fact| fact.id);
        self.unplaced.dedup_by_key(|fact| fact.id);
        if regroup {
            self.group();
        }
        self.join_copies(&keys);
    }

    /// Removes comments and reviews that are here already; a copy may be in another note.
    fn pass_over_known(&mut self, new: &mut RecordsByKind) {
        let known = new.comments.extract_if(.., |comment| self.comments.get(comment.id()).is_some());
        let known: Vec<Comment> = known.collect();
        for copy in known {
            self.change(copy.id(), |comment| comment.also_in_note(copy.page()));
        }
        new.reviews.retain(|copy| match self.review_index(copy.id()) {
            Some(at) => {
                self.reviews[at].also_in_note(copy.page());
                false
            }
            None => true,
        });
    }

    /// Adds the records that need no comment or review.
    fn put_what_stands_alone(&mut self, new: &mut RecordsByKind) {
        let place = |signature: &Fact<SignatureRecord>| (signature.said.of, signature.id);
        let mut signatures = std::mem::take(&mut new.signatures);
        signatures.retain(|copy| self.signatures.binary_search_by_key(&place(copy), place).is_err());
        put_in_order(&mut self.signatures, signatures, place);
        for unread in std::mem::take(&mut new.not_understood) {
            put_one(
                &mut self.not_understood,
                unread,
                |unread| unread.record.id(),
                |known, copy| {
                    known.page = known.page.min(copy.page);
                },
            );
        }
    }

    /// Takes threads apart whose missing first comment, or review, comes now: their comments are added again.
    fn take_up_answers(&mut self, new: &mut RecordsByKind) {
        let arrived = new.comments.iter().map(Comment::id).chain(new.reviews.iter().map(Review::id));
        let arrived: Vec<RecordId> = arrived.collect();
        for id in arrived {
            let Some(node) = self.nodes.remove(id) else { continue };
            let node = Arc::unwrap_or_clone(node);
            self.change_review(node.id, node.review, None);
            for reply in node.replies {
                self.comments.remove(reply.id());
                new.comments.push(Arc::unwrap_or_clone(reply));
            }
            new.statuses.extend(node.rootless_statuses.into_facts());
        }
        new.comments.sort_by_key(Comment::id);
        new.statuses.sort_by_key(|fact| fact.id);
    }

    /// Adds the records that were waiting for these.
    fn take_up_facts(&mut self, new: &mut RecordsByKind, awaited: &BTreeSet<RecordId>) {
        let taken: Vec<Fact<Body>> =
            self.unplaced.extract_if(.., |fact| awaited.contains(&target(&fact.said))).collect();
        for Fact { id, said } in taken {
            match said {
                Body::Edit(said) => new.edits.push(Fact { id, said }),
                Body::Move(said) => new.moves.push(Fact { id, said }),
                Body::Status(said) => new.statuses.push(Fact { id, said }),
                Body::Verdict(said) => new.verdicts.push(Fact { id, said }),
                Body::Proposal(said) => new.proposals.push(Fact { id, said }),
                Body::Request(said) => new.requests.push(Fact { id, said }),
                _ => unreachable!("nothing else is ever set aside"),
            }
        }
    }

    /// The thread of each of these comments, which are in ascending order of id and not here yet.
    fn threads_of(&self, comments: &[Comment]) -> Vec<RecordId> {
        // Searching bare ids stays within the cache; the comments themselves are large.
        let ids: Vec<RecordId> = comments.iter().map(Comment::id).collect();
        let parents: Vec<Parent> = comments.iter().map(|comment| self.parent(comment, &ids)).collect();
        let thread = |origin: ChainEnd| match origin {
            ChainEnd::Comment(root) => ids[root],
            ChainEnd::Elsewhere(id) => id,
        };
        thread_roots::origins(&parents).into_iter().map(thread).collect()
    }

    /// The parent of a comment. A reply to a review starts a thread in that review.
    fn parent(&self, comment: &Comment, new: &[RecordId]) -> Parent {
        let Some(id) = comment.said().parent else { return Parent::None };
        if let Ok(at) = new.binary_search(&id) {
            return Parent::Comment(at);
        }
        match self.comments.get(id) {
            Some(parent) => Parent::Elsewhere(parent.thread),
            None if self.review_index(id).is_some() => Parent::None,
            None => Parent::Elsewhere(id),
        }
    }

    /// Returns whether some were of reviews.
    fn put_edits(&mut self, edits: Vec<Fact<EditRecord>>, new: &mut [Comment]) -> bool {
        let mut of_reviews = false;
        for (of, facts) in by_target(edits, Replacing::of) {
            if let Some(facts) = self.attach(of, new, facts, Comment::add_edits) {
                match self.review_index(of) {
                    Some(at) => {
                        self.reviews[at].add_edits(facts);
                        of_reviews = true;
                    }
                    None => self.set_aside(facts, Body::Edit),
                }
            }
        }
        of_reviews
    }

    fn put_moves(&mut self, moves: Vec<Fact<MoveRecord>>, new: &mut [Comment]) {
        for (of, facts) in by_target(moves, Replacing::of) {
            if let Some(facts) = self.attach(of, new, facts, Comment::add_moves) {
                self.set_aside(facts, Body::Move);
            }
        }
    }

    fn put_proposals(&mut self, proposals: Vec<Fact<ProposalRecord>>, new: &mut [Comment]) {
        for (of, facts) in by_target(proposals, |proposal| proposal.of) {
            if let Some(facts) = self.attach(of, new, facts, Comment::add_proposals) {
                self.set_aside(facts, Body::Proposal);
            }
        }
    }

    /// Returns whether some were of reviews, and those that are of neither a comment nor a review.
    fn put_statuses(
        &mut self,
        statuses: Vec<Fact<StatusRecord>>,
        new: &mut [Comment],
    ) -> (bool, Vec<About<StatusRecord>>) {
        let mut of_reviews = false;
        let mut unclaimed = Vec::new();
        for (of, facts) in by_target(statuses, Replacing::of) {
            if let Some(facts) = self.attach(of, new, facts, Comment::add_statuses) {
                match self.review_index(of) {
                    Some(at) => {
                        self.reviews[at].add_statuses(facts);
                        of_reviews = true;
                    }
                    None => unclaimed.push((of, facts)),
                }
            }
        }
        (of_reviews, unclaimed)
    }

    fn put_rootless_statuses(&mut self, statuses: Vec<About<StatusRecord>>) {
        for (of, facts) in statuses {
            match self.nodes.get_mut(of) {
                Some(node) => {
                    let known = &mut Arc::make_mut(node).rootless_statuses;
                    *known = ThreadState::history(std::mem::take(known), facts);
                }
                None => self.set_aside(facts, Body::Status),
            }
        }
    }

    fn put_verdicts(&mut self, verdicts: Vec<Fact<VerdictRecord>>) {
        for (of, facts) in by_target(verdicts, |verdict| verdict.review) {
            match self.review_index(of) {
                Some(at) => self.reviews[at].add_verdicts(facts),
                None => self.set_aside(facts, Body::Verdict),
            }
        }
    }

    fn put_requests(&mut self, requests: Vec<Fact<RequestRecord>>) {
        for (of, facts) in by_target(requests, |request| request.review) {
            match self.review_index(of) {
                Some(at) => self.reviews[at].add_requests(facts),
                None => self.set_aside(facts, Body::Request),
            }
        }
    }

    /// Puts comments, which are in ascending order of id, into their threads.
    fn put_comments(&mut self, comments: Vec<Comment>, threads: Vec<RecordId>) {
        let placed = comments.into_iter().zip(threads);
        let placed: Vec<CommentInThread> =
            placed.map(|(comment, thread)| CommentInThread { comment: Arc::new(comment), thread }).collect();
        let mut by_thread: Vec<&CommentInThread> = placed.iter().collect();
        by_thread.sort_by_cached_key(|placed| (placed.thread, placed.comment.moment()));
        let mut nodes = Vec::new();
        for said in by_thread.chunk_by(|one, next| one.thread == next.thread) {
            let id = said[0].thread;
            if let Some(node) = self.nodes.get_mut(id) {
                let node = Arc::make_mut(node);
                node.replies.extend(said.iter().map(|placed| placed.comment.clone()));
                node.replies.sort_by_key(|reply| reply.moment());
                let after = membership(node);
                let before = std::mem::replace(&mut node.review, after);
                if before != after {
                    self.change_review(id, before, after);
                }
            } else {
                nodes.push((id, new_node(id, said)));
            }
        }
        let in_reviews = nodes.iter().filter_map(|(id, node)| Some((node.review?, *id))).collect();
        put_in_order(&mut self.by_review, in_reviews, |pair| *pair);
        self.nodes.extend(nodes);
        self.comments.extend(placed.into_iter().map(|placed| (placed.comment.id(), placed)).collect());
    }

    fn change_review(&mut self, thread: RecordId, before: Option<RecordId>, after: Option<RecordId>) {
        if let Some(at) = before.and_then(|review| self.by_review.binary_search(&(review, thread)).ok()) {
            self.by_review.remove(at);
        }
        let after = after.map(|review| (review, thread));
        put_in_order(&mut self.by_review, after.into_iter().collect(), |pair| *pair);
    }

    /// Attaches records to their comments, new ones or known ones; returns those without a comment.
    fn attach<T>(
        &mut self,
        of: RecordId,
        new: &mut [Comment],
        facts: Vec<Fact<T>>,
        add: fn(&mut Comment, Vec<Fact<T>>),
    ) -> Option<Vec<Fact<T>>> {
        if let Ok(at) = new.binary_search_by_key(&of, Comment::id) {
            add(&mut new[at], facts);
            None
        } else if self.comments.get(of).is_some() {
            self.change(of, |comment| add(comment, facts));
            None
        } else {
            Some(facts)
        }
    }

    /// Changes a comment that is here; those who hold the old version keep it.
    fn change(&mut self, id: RecordId, change: impl FnOnce(&mut Comment)) {
        let Some(placed) = self.comments.get_mut(id) else { return };
        let mut comment = Comment::clone(&placed.comment);
        change(&mut comment);
        placed.comment = Arc::new(comment);
        let thread = placed.thread;
        let comment = placed.comment.clone();
        let node = Arc::make_mut(self.nodes.get_mut(thread).expect("every comment is in a thread"));
        if id == thread {
            node.root = Some(comment);
        } else if let Ok(at) = node.replies.binary_search_by_key(&comment.moment(), |reply| reply.moment()) {
            node.replies[at] = comment;
        }
    }

    fn set_aside<T>(&mut self, facts: Vec<Fact<T>>, body: fn(T) -> Body) {
        self.unplaced.extend(facts.into_iter().map(|fact| Fact { id: fact.id, said: body(fact.said) }));
    }

    /// Finds which reviews are shown as one.
    fn group(&mut self) {
        self.groups = review_group::groups(&self.reviews);
        self.group_of = vec![0; self.reviews.len()];
        for (at, members) in self.groups.iter().enumerate() {
            for member in members {
                self.group_of[*member] = at;
            }
        }
        self.by_branch = (0..self.reviews.len()).collect();
        self.by_branch.sort_by_key(|at| self.reviews[*at].branch());
    }
}

/// A thread of these comments, which are in the order of display.
fn new_node(id: RecordId, said: &[&CommentInThread]) -> Arc<Node> {
    let is_root = |placed: &&&CommentInThread| placed.comment.id() == id;
    let mut node = Node {
        id,
        root: said.iter().find(is_root).map(|placed| placed.comment.clone()),
        replies: said.iter().filter(|placed| !is_root(placed)).map(|placed| placed.comment.clone()).collect(),
        review: None,
        rootless_statuses: History::default(),
        parts: Vec::new(),
    };
    node.review = membership(&node);
    Arc::new(node)
}

/// The review that a thread's first comment names, or is a reply to.
///
/// If that comment is not here, the first reply that names a review counts.
fn membership(node: &Node) -> Option<RecordId> {
    let Some(root) = &node.root else {
        return node.replies.iter().find_map(|reply| reply.said().review);
    };
    // A first comment has no parent, or one that is a review.
    root.said().review.or(root.said().parent)
}

/// The target of a record.
fn target(said: &Body) -> RecordId {
    match said {
        Body::Edit(edit) => edit.of,
        Body::Move(moved) => moved.of,
        Body::Status(status) => status.of,
        Body::Verdict(verdict) => verdict.review,
        Body::Proposal(proposal) => proposal.of,
        Body::Request(request) => request.review,
        _ => unreachable!("nothing else is ever set aside"),
    }
}

/// Inserts new ones into a sorted list.
pub(super) fn put_in_order<T, K: Ord>(all: &mut Vec<T>, new: Vec<T>, key: impl Fn(&T) -> K) {
    match <[T; 1]>::try_from(new) {
        Ok([one]) => {
            let at = all.partition_point(|known| key(known) < key(&one));
            all.insert(at, one);
        }
        Err(several) if !several.is_empty() => {
            all.extend(several);
            all.sort_by_key(key);
        }
        Err(_) => {}
    }
}

/// Inserts one into a sorted list; if it is there already, `learn` is called with both.
fn put_one<T, K: Ord>(all: &mut Vec<T>, one: T, key: impl Fn(&T) -> K, learn: impl FnOnce(&mut T, T)) {
    match all.binary_search_by_key(&key(&one), &key) {
        Ok(at) => learn(&mut all[at], one),
        Err(at) => all.insert(at, one),
    }
}
