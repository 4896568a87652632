//! One thread: a first comment, its replies, and their state.

use std::sync::Arc;

use super::change_history::History;
use super::comment::{Comment, Disagreement, ThreadState};
use super::fact::seq_behind;
use super::proposal::Proposal;
use super::records_by_kind::NotUnderstood;
use super::review::Review;
use super::threads::{Node, Threads};
use crate::git::{CommitId, ObjectId};
use crate::record::{Anchor, CommentAnchor, MessageAnchor, RecordId, Seq, StatusRecord};

/// A first comment and its replies.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'a> {
    all: &'a Threads,
    node: &'a Arc<Node>,
}

/// A thread as it was when [`Thread::hold`] was called.
#[derive(Clone, Debug)]
pub struct HeldThread(Arc<Node>);

impl HeldThread {
    /// Whether the thread has not changed since.
    ///
    /// Cheap. `true` is always right; after all records were folded again, it is `false`.
    pub fn is(&self, thread: Thread<'_>) -> bool {
        Arc::ptr_eq(&self.0, thread.node)
    }
}

/// The root of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root<'a> {
    /// A comment.
    Comment(&'a Comment),
    /// A record that is here and cannot be read, such as a comment of a later version.
    NotUnderstood(&'a NotUnderstood),
    /// A comment that is not here: its replies came without it, or it was purged.
    Missing,
}

/// Which review a thread belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership<'a> {
    /// None.
    None,
    /// This one.
    Review(&'a Review),
    /// One that is not here.
    Unknown(RecordId),
}

impl<'a> Thread<'a> {
    pub(super) fn of(all: &'a Threads, node: &'a Arc<Node>) -> Self {
        Self { all, node }
    }

    /// Keeps the thread as it is now, for comparing.
    pub fn hold(self) -> HeldThread {
        HeldThread(Arc::clone(self.node))
    }

    /// The id of its first comment, whether or not that is here.
    pub fn id(self) -> RecordId {
        self.node.id
    }

    /// What it begins with.
    pub fn root(self) -> Root<'a> {
        match self.root_comment() {
            Some(comment) => Root::Comment(comment),
            None => match self.unreadable_root() {
                Some(record) => Root::NotUnderstood(record),
                None => Root::Missing,
            },
        }
    }

    /// Its first comment, if that is here.
    pub fn root_comment(self) -> Option<&'a Comment> {
        self.node.root.as_deref()
    }

    fn unreadable_root(self) -> Option<&'a NotUnderstood> {
        let unreadable = &self.all.not_understood;
        let at = unreadable.binary_search_by_key(&self.id(), |unread| unread.record.id()).ok()?;
        Some(&unreadable[at])
    }

    /// All replies, in the order of display.
    ///
    /// The comment that one replies to is its [`parent`](crate::record::CommentRecord::parent).
    pub fn replies(self) -> impl ExactSizeIterator<Item = &'a Comment> {
        self.node.replies.iter().map(|reply| &**reply)
    }

    /// The first comment, then the replies; never empty.
    pub fn comments(self) -> impl Iterator<Item = &'a Comment> {
        self.root_comment().into_iter().chain(self.replies())
    }

    /// Its state.
    pub fn state(self) -> ThreadState {
        ThreadState::of(self.statuses())
    }

    /// Its statuses, and what a new status must name in `over`.
    pub fn statuses(self) -> &'a History<StatusRecord> {
        self.root_comment().map_or(&self.node.rootless_statuses, Comment::statuses)
    }

    /// What was proposed for it, oldest first.
    pub fn proposals(self) -> Vec<Proposal<'a>> {
        self.comments().flat_map(Comment::proposals).collect()
    }

    /// The message that its first comment is on.
    pub fn message(self) -> Option<&'a MessageAnchor> {
        self.root_comment().and_then(Comment::message)
    }

    /// The commit that its first comment is on; `None` also for text that was not committed.
    pub fn commit(self) -> Option<CommitId> {
        self.root_comment().and_then(Comment::comment_anchor).and_then(CommentAnchor::commit)
    }

    /// The place in a file of its first comment; `None`: the whole review, a message, or unknown.
    pub fn anchor(self) -> Option<&'a Anchor> {
        self.root_comment().and_then(Comment::anchor)
    }

    /// Which review it belongs to.
    pub fn review(self) -> Membership<'a> {
        match self.node.review {
            None => Membership::None,
            Some(id) => self.all.review(id).map_or(Membership::Unknown(id), Membership::Review),
        }
    }

    /// The review that it names, whether or not that is here.
    pub(super) fn review_id(self) -> Option<RecordId> {
        self.node.review
    }

    /// The threads that other clones made of the same finding, each as it is by itself; what was said in them is in this
    /// one.
    pub fn copies(self) -> impl ExactSizeIterator<Item = Thread<'a>> {
        self.node.parts.get(1..).unwrap_or_default().iter().map(move |part| Self::of(self.all, part))
    }

    /// What it is without its copies, then its copies.
    pub fn with_copies(self) -> impl Iterator<Item = Thread<'a>> {
        let own = self.node.parts.first().unwrap_or(self.node);
        std::iter::once(Self::of(self.all, own)).chain(self.copies())
    }

    /// The disagreements about any of its comments.
    pub fn disagreements(self) -> impl Iterator<Item = Disagreement<'a>> {
        let rootless = &self.node.rootless_statuses;
        let status = rootless.is_disputed().then_some(Disagreement::Status(rootless));
        status.into_iter().chain(self.comments().flat_map(Comment::disagreements))
    }

    /// The `seq` of the next record about it.
    pub fn next_seq(self) -> Seq {
        let rootless = self.node.rootless_statuses.changes().iter().map(|change| change.said.seq);
        seq_behind(self.comments().flat_map(Comment::seqs).chain(rootless))
    }

    /// The object whose note gets every record about this thread.
    ///
    /// That of its first comment; if that is not here, that of its replies, which were put in the same note. Of
    /// several, the lowest.
    pub fn home(self) -> ObjectId {
        let page = match self.root() {
            Root::Comment(comment) => Some(comment.page()),
            Root::NotUnderstood(unreadable) => Some(unreadable.page),
            Root::Missing => self.replies().map(Comment::page).min(),
        };
        page.expect("a thread without a first comment exists because of an answer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::StatusWord::{Open, Resolved, Withdrawn};
    use crate::record::{Body, CommentRecord as Said};
    use crate::review::folding::story::{Story, foreign_record, page, unknown};

    fn texts(thread: Thread<'_>) -> Vec<&str> {
        thread.comments().map(Comment::text).collect()
    }

    #[test]
    fn answers_to_answers_belong_to_the_thread_of_the_first_comment_in_the_order_of_display() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        let answer = story.reply(root, "bob", "because");
        story.reply(answer, "ann", "because of what?");
        story.reply(root, "cat", "yes, why?");
        let other = story.comment("dan", "nice");

        let threads = story.threads();
        assert_eq!(threads.iter().len(), 2);
        let thread = threads.thread(root).unwrap();
        assert_eq!(texts(thread), ["why?", "because", "because of what?", "yes, why?"]);
        assert_eq!(threads.thread_of(answer).unwrap().id(), root);
        assert!(threads.thread(answer).is_none(), "an answer begins no thread");
        assert_eq!(texts(threads.thread(other).unwrap()), ["nice"]);
    }

    #[test]
    fn whoever_holds_a_thread_sees_that_something_was_said_in_it_or_about_it() {
        let mut story = Story::default();
        let (one, other) = (story.comment("ann", "why?"), story.comment("ann", "how?"));
        let answer = story.reply(one, "bob", "because");
        let mut threads = story.threads();
        let mut more = Story { records: Vec::new(), ..story.clone() };
        let mut check = |say: &dyn Fn(&mut Story) -> RecordId| {
            let held = [one, other].map(|id| threads.thread(id).unwrap().hold());
            say(&mut more);
            threads.add(more.records.drain(..));
            let same = [one, other].map(|id| threads.thread(id).unwrap()).into_iter().zip(&held);
            assert_eq!(same.map(|(thread, held)| held.is(thread)).collect::<Vec<_>>(), [false, true]);
        };
        check(&|more| more.reply(answer, "ann", "I see"));
        check(&|more| more.edit(answer, "bob", &[], "because of you"));
        check(&|more| more.status(one, "ann", &[], Resolved));
        check(&|more| more.moved(one, "ann", &[], 3));
    }

    #[test]
    fn the_first_comment_comes_first_whatever_the_seq_of_an_answer() {
        let mut story = Story { seq: Some(u64::MAX), ..Story::default() };
        let root = story.comment("ann", "why?");
        for (seq, text) in [(u64::MAX - 1, "last or second to last"), (0, "first answer")] {
            story.seq = Some(seq);
            story.reply(root, "eve", text);
        }
        let threads = story.threads();
        let thread = threads.thread(root).unwrap();
        assert_eq!(texts(thread), ["why?", "first answer", "last or second to last"]);
        assert_eq!(thread.next_seq(), Seq::MAX);
    }

    #[test]
    fn answers_to_a_comment_that_is_not_here_are_one_thread_that_says_so() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        let answer = story.reply(root, "bob", "because");
        story.reply(root, "cat", "yes, why?");
        story.reply(answer, "ann", "I see");
        let resolved = story.status(root, "ann", &[], Resolved);

        let half = story.without(root).threads();
        assert_eq!(half.iter().len(), 1);
        let thread = half.thread(root).unwrap();
        assert_eq!(thread.root(), Root::Missing);
        assert_eq!(texts(thread), ["because", "yes, why?", "I see"]);
        assert_eq!((thread.state(), thread.statuses().over()), (ThreadState::Resolved, vec![resolved]));

        let whole = story.threads();
        assert_eq!(texts(whole.thread_of(answer).unwrap()), ["why?", "because", "yes, why?", "I see"]);
        assert_eq!(whole.thread(root).unwrap().state(), ThreadState::Resolved);
    }

    #[test]
    fn a_missing_answer_in_the_middle_parts_a_thread_until_it_comes() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        let middle = story.reply(root, "bob", "because");
        let last = story.reply(middle, "ann", "I see");

        let parted = story.without(middle).threads();
        assert_eq!(parted.thread_of(last).unwrap().id(), middle);
        assert_eq!(texts(parted.thread(root).unwrap()), ["why?"]);
        assert_eq!(texts(story.threads().thread_of(last).unwrap()), ["why?", "because", "I see"]);
    }

    #[test]
    fn disagreement_about_a_missing_first_comment_is_shown_too() {
        let mut story = Story::default();
        story.reply(unknown(5), "ann", "because");
        story.status(unknown(5), "bob", &[], Withdrawn);
        story.status(unknown(5), "cat", &[], Open);
        let threads = story.threads();
        let thread = threads.thread(unknown(5)).unwrap();
        assert_eq!(thread.state(), ThreadState::Open);
        assert_eq!(thread.disagreements().collect::<Vec<_>>(), [Disagreement::Status(thread.statuses())]);
    }

    #[test]
    fn an_answer_to_a_comment_of_a_later_version_says_what_it_answers() {
        let mut story = Story { page: 3, ..Story::default() };
        let later = story.put(foreign_record("comment", b"\xa0", 2));
        story.page = 1;
        story.reply(later, "ann", "because");
        let threads = story.threads();
        let thread = threads.thread(later).unwrap();
        assert!(matches!(thread.root(), Root::NotUnderstood(unread) if unread.record.id() == later));
        assert_eq!(thread.home(), page(3));
    }

    #[test]
    fn an_answer_to_something_that_is_no_comment_answers_something_missing() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        let edit = story.edit(comment, "ann", &[], "why not?");
        let odd = story.reply(edit, "bob", "better");
        let threads = story.threads();
        let thread = threads.thread_of(odd).unwrap();
        assert_eq!((thread.id(), thread.root()), (edit, Root::Missing));
    }

    #[test]
    fn an_answer_to_a_review_begins_a_thread_in_it() {
        let mut story = Story::default();
        let review = story.review("ann", "refs/heads/topic");
        let other = story.review("ann", "refs/heads/other");
        let remark = story.reply(review, "bob", "good work");
        let answer = story.reply(remark, "ann", "thanks");
        let comment = Said { parent: Some(review), review: Some(other), ..story.comment_body("bob", "hm") };
        let named = story.say(&Body::Comment(comment));

        let threads = story.threads();
        let thread = threads.thread_of(answer).unwrap();
        assert_eq!(thread.id(), remark);
        assert!(matches!(thread.review(), Membership::Review(found) if found.id() == review));
        let named = threads.thread(named).unwrap();
        assert!(
            matches!(named.review(), Membership::Review(found) if found.id() == other),
            "the field counts"
        );
        assert_eq!(story.without(review).threads().thread_of(answer).unwrap().id(), review, "until it comes");
    }

    #[test]
    fn a_thread_belongs_to_the_review_that_its_first_comment_names() {
        let mut story = Story::default();
        let review = story.review("ann", "refs/heads/topic");
        let inside = story.comment_in(review, "bob", "why?");
        let elsewhere = story.comment_in(unknown(4), "bob", "why?");
        let nowhere = story.comment("bob", "why?");
        let reply = Said { parent: Some(nowhere), review: Some(review), ..story.comment_body("eve", "mine") };
        story.say(&Body::Comment(reply));

        let threads = story.threads();
        let membership = |id: RecordId| threads.thread(id).unwrap().review();
        assert!(matches!(membership(inside), Membership::Review(found) if found.id() == review));
        assert_eq!(membership(elsewhere), Membership::Unknown(unknown(4)));
        assert_eq!(membership(nowhere), Membership::None, "whatever an answer says");
        let ids = |of: RecordId| threads.threads_in(of).map(Thread::id).collect::<Vec<_>>();
        assert_eq!((ids(review), ids(unknown(4)), ids(unknown(5))), (vec![inside], vec![elsewhere], vec![]));
    }

    #[test]
    fn answers_speak_for_the_review_of_a_missing_first_comment() {
        let mut story = Story::default();
        story.reply(unknown(5), "ann", "because");
        let reply =
            Said { parent: Some(unknown(5)), review: Some(unknown(6)), ..story.comment_body("bob", "so") };
        story.say(&Body::Comment(reply));
        assert_eq!(story.threads().thread(unknown(5)).unwrap().review(), Membership::Unknown(unknown(6)));
    }

    #[test]
    fn withdrawing_an_answer_leaves_its_thread_open() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        let answer = story.reply(root, "bob", "because");
        story.status(answer, "bob", &[], Withdrawn);
        let threads = story.threads();
        assert_eq!(threads.thread(root).unwrap().state(), ThreadState::Open);
        assert_eq!(threads.comment(answer).unwrap().state(), ThreadState::Withdrawn);
    }

    #[test]
    fn a_thread_says_by_whom_it_was_withdrawn_or_resolved() {
        for word in [Withdrawn, Resolved] {
            let mut story = Story::default();
            let root = story.comment("ann", "why?");
            story.status(root, "bob", &[], word);
            let threads = story.threads();
            let status = threads.thread(root).unwrap().statuses().in_force().unwrap();
            assert_eq!((status.said.author.name.as_str(), status.said.status), ("bob", word));
        }
    }

    #[test]
    fn the_next_seq_is_behind_everything_in_the_thread() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        let answer = story.reply(root, "bob", "because");
        let check = |story: &Story, next: u64| {
            let threads = story.threads();
            assert_eq!(threads.next_seq(root), Some(Seq::new(next)));
            assert_eq!(threads.next_seq(answer), Some(Seq::new(next)));
        };
        check(&story, 2);
        story.seq = Some(10);
        story.edit(answer, "eve", &[], "no");
        check(&story, 11);
        story.seq = Some(20);
        story.moved(root, "cat", &[], 4);
        check(&story, 21);
        story.seq = Some(30);
        story.status(answer, "cat", &[], Resolved);
        check(&story, 31);
        story.seq = Some(u64::MAX);
        story.status(root, "eve", &[], Resolved);
        check(&story, Seq::MAX.get());
        assert_eq!(story.threads().next_seq(unknown(1)), None);
    }

    #[test]
    fn a_thread_is_at_home_on_the_page_of_its_first_comment() {
        let mut story = Story { page: 5, ..Story::default() };
        let root = story.comment("ann", "why?");
        story.page = 2;
        let answer = story.reply(root, "bob", "because");
        let home = |story: &Story, id: RecordId| story.threads().home(id);
        assert_eq!((home(&story, root), home(&story, answer)), (Some(page(5)), Some(page(5))));
        assert_eq!(home(&story, unknown(1)), None);

        let copy = story.records[0].1.clone();
        story.records.extend([(page(7), copy.clone()), (page(4), copy)]);
        assert_eq!(home(&story, answer), Some(page(4)), "of several copies the lowest");
        assert_eq!(home(&story.without(root), root), Some(page(2)), "without it, where its answers are");
    }
}
