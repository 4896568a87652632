//! Puts records together into threads and reviews.
//!
//! Which record wins is `history`'s and `words`' to say, and which thread an answer belongs to
//! `ancestry`'s; here everything finds its place, and what finds none is set aside.

use std::borrow::Borrow;
use std::num::NonZeroUsize;

use super::ancestry::{self, Origin, Parent};
use super::comment::{Comment, ThreadState};
use super::fact::{Fact, by_target};
use super::group;
use super::history::{History, Replacing, judge};
use super::reading::Kinds;
use super::review::ReviewState;
use super::threads::{Node, Threads};
use super::words::Words;
use crate::git::ObjectId;
use crate::record::{Body, Edit, Move, Record, RecordId, Status, Verdict};

impl Threads {
    /// Folds the records of all notes, each with what its note is attached to.
    ///
    /// Their order makes no difference, nor does it if one comes several times. Records that a purge
    /// names are expected to be gone. Costs n log n, whatever the records name.
    pub fn fold<R: Borrow<Record> + Sync>(records: impl IntoIterator<Item = (ObjectId, R)>) -> Self {
        Self::fold_on(records, NonZeroUsize::MIN)
    }

    /// As [`Threads::fold`], with so many threads to read the records; their number changes nothing else.
    pub fn fold_on<R: Borrow<Record> + Sync>(
        records: impl IntoIterator<Item = (ObjectId, R)>,
        threads: NonZeroUsize,
    ) -> Self {
        let kinds = Kinds::read(records, threads);
        let mut threads = Self {
            comments: kinds.comments,
            reviews: kinds.reviews,
            signatures: kinds.signatures,
            foreign: kinds.foreign,
            not_understood: kinds.not_understood,
            ..Self::default()
        };
        threads.signatures.sort_by_key(|signature| signature.said.of);
        threads.gather();
        threads.put_edits(kinds.edits);
        threads.put_moves(kinds.moves);
        threads.put_statuses(kinds.statuses);
        threads.put_verdicts(kinds.verdicts);
        threads.unplaced.sort_unstable_by_key(|fact| fact.id);
        threads.group();
        threads
    }

    /// Makes threads of the comments.
    fn gather(&mut self) {
        // Searching bare ids stays within the cache; the comments themselves are large.
        let ids: Vec<RecordId> = self.comments.iter().map(Comment::id).collect();
        let parents: Vec<Parent> = self.comments.iter().map(|comment| self.parent(comment, &ids)).collect();
        let origins = ancestry::origins(&parents);
        self.nodes = self.nodes_of(&origins);
        let mut node_of_root = vec![usize::MAX; self.comments.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(root) = node.root {
                node_of_root[root] = at;
            }
        }
        let thread_of = |origin: &Origin| match origin {
            Origin::Comment(root) => node_of_root[*root],
            Origin::Missing(id) => {
                self.nodes.binary_search_by_key(id, |node| node.id).expect("every origin has a node")
            }
        };
        self.thread_of = origins.iter().map(thread_of).collect();
        let mut replies: Vec<usize> =
            (0..self.comments.len()).filter(|at| origins[*at] != Origin::Comment(*at)).collect();
        replies.sort_by_cached_key(|at| self.comments[*at].moment());
        for at in replies {
            self.nodes[self.thread_of[at]].replies.push(at);
        }
        for at in 0..self.nodes.len() {
            self.nodes[at].review = self.membership(&self.nodes[at]);
        }
    }

    /// What a comment answers. One that answers a review begins a thread in that review.
    fn parent(&self, comment: &Comment, ids: &[RecordId]) -> Parent {
        let Some(id) = comment.said().parent else { return Parent::None };
        match ids.binary_search(&id) {
            Ok(at) => Parent::Comment(at),
            Err(_) if self.review_index(id).is_some() => Parent::None,
            Err(_) => Parent::Missing(id),
        }
    }

    /// One thread for each origin, in ascending order of id.
    fn nodes_of(&self, origins: &[Origin]) -> Vec<Node> {
        let mut roots: Vec<(RecordId, Option<usize>)> = origins
            .iter()
            .enumerate()
            .filter_map(|(at, origin)| match origin {
                Origin::Comment(root) => (*root == at).then(|| (self.comments[at].id(), Some(at))),
                Origin::Missing(id) => Some((*id, None)),
            })
            .collect();
        roots.sort_unstable();
        roots.dedup();
        let node = |(id, root)| Node {
            id,
            root,
            replies: Vec::new(),
            review: None,
            rootless_statuses: History::default(),
        };
        roots.into_iter().map(node).collect()
    }

    /// The review that a thread's first comment names, or answers.
    ///
    /// Where that comment is not here, the first answer that names a review speaks for it.
    fn membership(&self, node: &Node) -> Option<RecordId> {
        let Some(root) = node.root else {
            return node.replies.iter().find_map(|at| self.comments[*at].said().review);
        };
        // A first comment has no parent, or one that is a review.
        let root = self.comments[root].said();
        root.review.or(root.parent)
    }

    fn put_edits(&mut self, edits: Vec<Fact<Edit>>) {
        for (of, facts) in by_target(edits, Replacing::of) {
            if let Some(at) = self.comment_index(of) {
                let comment = &mut self.comments[at];
                let fits = |edit: &Edit| edit.text.is_some();
                comment.words = Words::new(facts, &comment.said().author, fits);
            } else if let Some(at) = self.review_index(of) {
                let review = &mut self.reviews[at];
                let fits = |edit: &Edit| {
                    let refs = edit.branch.is_some() || edit.base.is_some();
                    refs || edit.title.is_some() || edit.description.is_some()
                };
                review.words = Words::new(facts, &review.said().author, fits);
            } else {
                self.set_aside(facts, Body::Edit);
            }
        }
    }

    fn put_moves(&mut self, moves: Vec<Fact<Move>>) {
        for (of, facts) in by_target(moves, Replacing::of) {
            match self.comment_index(of) {
                Some(at) => self.comments[at].moves = History::new(judge(facts, |_| true, |_, _| true)),
                None => self.set_aside(facts, Body::Move),
            }
        }
    }

    fn put_statuses(&mut self, statuses: Vec<Fact<Status>>) {
        let of_thread = |facts| History::new(judge(facts, ThreadState::has_word, |_, _| true));
        let of_review = |facts| History::new(judge(facts, ReviewState::has_word, |_, _| true));
        for (of, facts) in by_target(statuses, Replacing::of) {
            if let Some(at) = self.comment_index(of) {
                self.comments[at].statuses = of_thread(facts);
            } else if let Some(at) = self.review_index(of) {
                self.reviews[at].statuses = of_review(facts);
            } else if let Ok(at) = self.nodes.binary_search_by_key(&of, |node| node.id) {
                self.nodes[at].rootless_statuses = of_thread(facts);
            } else {
                self.set_aside(facts, Body::Status);
            }
        }
    }

    fn put_verdicts(&mut self, verdicts: Vec<Fact<Verdict>>) {
        for (of, mut facts) in by_target(verdicts, |verdict| verdict.review) {
            match self.review_index(of) {
                Some(at) => {
                    facts.sort_unstable_by_key(Fact::moment);
                    self.reviews[at].verdicts = facts;
                }
                None => self.set_aside(facts, Body::Verdict),
            }
        }
    }

    fn set_aside<T>(&mut self, facts: Vec<Fact<T>>, body: fn(T) -> Body) {
        self.unplaced.extend(facts.into_iter().map(|fact| Fact { id: fact.id, said: body(fact.said) }));
    }

    /// Finds which reviews are shown as one, and the threads of each.
    fn group(&mut self) {
        self.groups = group::groups(&self.reviews);
        self.group_of = vec![0; self.reviews.len()];
        for (at, members) in self.groups.iter().enumerate() {
            for member in members {
                self.group_of[*member] = at;
            }
        }
        let reviews = self.nodes.iter().enumerate();
        self.by_review = reviews.filter_map(|(at, node)| node.review.map(|review| (review, at))).collect();
        self.by_review.sort_unstable();
    }
}
