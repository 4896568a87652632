//! Threads that several clones made of one finding: one is shown, and the others are kept behind it.
//!
//! Two clones that import one report at different commits write two records. They have the same author, source and key, and
//! are copies of each other. What was said and decided in any copy counts for the thread that is shown.
//!
//! Anybody can write a record with the key of another one. So a person's comment is never a copy of anything, and a thread
//! that a person answered is put behind another one only if both say the same about the same lines: then nothing is
//! hidden that could not be read in its place. The result depends on the set of records alone.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::comment::{Comment, ThreadState};
use super::fold::put_in_order;
use super::key::{KEY, ReportKey};
use super::records_by_kind::RecordsByKind;
use super::threads::{Node, Threads};
use crate::record::{Anchor, CommentAnchor, Line, RecordId, StatusRecord};

/// What the author, the source and the key of a comment hash to.
pub(super) type KeyHash = [u8; 16];

/// The hash of the key of a first comment; `None` for a reply, for what a person wrote, and without a key.
fn key_of(comment: &Comment) -> Option<KeyHash> {
    let said = comment.said();
    if said.via.is_none() || said.parent.is_some() {
        return None;
    }
    let (source, name) = match ReportKey::imported(&said.tags) {
        Some(ReportKey { source, name }) => (source, name),
        None => (String::new(), said.tags.iter().find_map(|tag| tag.strip_prefix(KEY))?.to_owned()),
    };
    let mut hasher = blake3::Hasher::new();
    for part in [&said.author.email, &source, &name] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().as_bytes()[..16].try_into().ok()
}

impl Threads {
    /// The first comments that have the key of this one, in ascending order; none if it has no key.
    pub fn with_key_of(&self, comment: RecordId) -> impl Iterator<Item = RecordId> {
        let key = self.comments.get(comment).and_then(|placed| key_of(&placed.comment));
        key.into_iter().flat_map(|key| self.members(key))
    }

    fn members(&self, key: KeyHash) -> impl Iterator<Item = RecordId> {
        let from = self.keyed.partition_point(|(known, _)| *known < key);
        self.keyed[from..].iter().take_while(move |(known, _)| *known == key).map(|(_, id)| *id)
    }

    /// The keys of the threads that these records begin or are about.
    pub(super) fn keys_touched(&self, new: &RecordsByKind) -> BTreeSet<KeyHash> {
        let begun = new.comments.iter().filter_map(key_of);
        let about = new.comments.iter().filter_map(|comment| comment.said().parent);
        let about = about
            .chain(new.edits.iter().map(|fact| fact.said.of))
            .chain(new.statuses.iter().map(|fact| fact.said.of))
            .chain(new.moves.iter().map(|fact| fact.said.of))
            .chain(new.proposals.iter().map(|fact| fact.said.of));
        let thread = about.filter_map(|id| Some(self.comments.get(id)?.thread));
        let known = thread.filter_map(|id| key_of(&self.comments.get(id)?.comment));
        begun.chain(known).collect()
    }

    /// Remembers the keys of new comments.
    pub(super) fn note_keys(&mut self, new: &[Comment]) {
        let new = new.iter().filter_map(|comment| Some((key_of(comment)?, comment.id()))).collect();
        put_in_order(&mut self.keyed, new, |pair| *pair);
    }

    /// Takes copies apart, so that each is a thread of its own again.
    pub(super) fn part_copies(&mut self, keys: &BTreeSet<KeyHash>) {
        let ids: Vec<RecordId> = keys.iter().flat_map(|key| self.members(*key)).collect();
        let mut parted = Vec::new();
        for id in ids {
            if self.nodes.get(id).is_some_and(|node| !node.parts.is_empty())
                && let Some(joined) = self.nodes.remove(id)
            {
                parted.extend(joined.parts.iter().cloned());
            }
        }
        for node in &parted {
            self.place(node, node.id, node.root.as_ref());
        }
        parted.sort_by_key(|node| node.id);
        self.nodes.extend(parted.into_iter().map(|node| (node.id, node)).collect());
    }

    /// Joins the copies of these keys.
    pub(super) fn join_copies(&mut self, keys: &BTreeSet<KeyHash>) {
        let (mut gone, mut joined) = (Vec::new(), Vec::new());
        for key in keys {
            let nodes: Vec<Arc<Node>> =
                self.members(*key).filter_map(|id| self.nodes.get(id).cloned()).collect();
            if nodes.len() > 1 {
                joined.extend(shown(nodes).into_iter().filter(|parts| parts.len() > 1).map(join));
            }
        }
        for node in joined {
            for part in &node.parts {
                self.place(part, node.id, None);
            }
            gone.extend(node.parts[1..].iter().map(|part| part.id));
            if let Some(placed) = self.comments.get_mut(node.id) {
                placed.comment = node.root.clone().expect("what has a key has a first comment");
            }
            if let Some(shown) = self.nodes.get_mut(node.id) {
                *shown = Arc::new(node);
            }
        }
        gone.sort_unstable();
        self.nodes.remove_all(&gone);
    }

    /// Notes in which thread the comments of a node are, and what its first comment is.
    fn place(&mut self, node: &Node, thread: RecordId, root: Option<&Arc<Comment>>) {
        for comment in node.root.iter().chain(&node.replies) {
            if let Some(placed) = self.comments.get_mut(comment.id()) {
                placed.thread = thread;
            }
        }
        if let Some(root) = root
            && let Some(placed) = self.comments.get_mut(root.id())
        {
            placed.comment = root.clone();
        }
    }
}

/// The threads that are shown of these, each with those behind it.
fn shown(mut nodes: Vec<Arc<Node>>) -> Vec<Vec<Arc<Node>>> {
    nodes.sort_by_cached_key(|node| (Reverse(is_answered(node)), founded(node), node.id));
    let mut all: Vec<Vec<Arc<Node>>> = Vec::new();
    for node in nodes {
        let is_answered = is_answered(&node);
        let behind = all.iter_mut().find(|leads| !is_answered || says_the_same(&leads[0], &node));
        match behind {
            Some(leads) => leads.push(node),
            None => all.push(vec![node]),
        }
    }
    all
}

/// One thread of several; the first is the one that is shown.
fn join(parts: Vec<Arc<Node>>) -> Node {
    let lead = Node::clone(&parts[0]);
    let copies = parts[1..].iter().filter_map(|part| part.root.as_deref());
    let root = lead.root.as_ref().map(|root| Arc::new(root.joined(copies)));
    let mut replies: Vec<Arc<Comment>> = parts.iter().flat_map(|part| part.replies.iter().cloned()).collect();
    replies.sort_by_key(|reply| reply.moment());
    Node { root, replies, parts, ..lead }
}

/// Whether a person replied, decided something, put it elsewhere or proposed other words.
fn is_answered(node: &Node) -> bool {
    let by_hand =
        |reply: &Arc<Comment>| reply.said().via.is_none() && reply.state() != ThreadState::Withdrawn;
    node.replies.iter().any(by_hand)
        || node.root.as_ref().is_some_and(|root| {
            let status = |status: &StatusRecord| status.via.is_none() && status.source.is_none();
            root.statuses().changes().iter().any(|change| status(&change.said))
                || root.moves().changes().iter().any(|change| change.said.via.is_none())
                || root.words().changes().any(|change| change.said.via.is_none())
        })
}

/// How well the place of a thread can be found again; the lowest is best.
fn founded(node: &Node) -> u8 {
    let anchor = node.root.as_ref().and_then(|root| root.said().anchor.as_ref());
    match anchor {
        Some(
            CommentAnchor::File(Anchor { commit: Some(_), blob: Some(_), .. }) | CommentAnchor::Message(_),
        ) => 0,
        Some(CommentAnchor::File(Anchor { blob: Some(_), .. })) => 1,
        Some(CommentAnchor::File(_)) => 2,
        None => 3,
    }
}

/// Whether two say the same about the same lines, but for blanks.
fn says_the_same(one: &Node, other: &Node) -> bool {
    let said = |node: &Node| node.root.as_ref().map(|root| (root.said().text.clone(), lines(root)));
    said(one) == said(other)
}

/// What a comment was put on: the file and its lines without blanks, or the message.
fn lines(comment: &Comment) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (path, lines) = match &comment.said().anchor {
        None => return (Vec::new(), Vec::new()),
        Some(CommentAnchor::File(anchor)) => (anchor.path.as_bytes().to_vec(), &anchor.lines),
        Some(CommentAnchor::Message(anchor)) => (anchor.commit.to_string().into_bytes(), &anchor.lines),
    };
    (path, lines.iter().map(Line::without_blanks).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, CommentRecord, StatusWord};
    use crate::review::folding::story::{Story, anchor};
    use crate::review::{Thread, ThreadState};

    /// The ids of the threads that are shown.
    fn threads(story: &Story) -> Vec<RecordId> {
        story.threads().iter().map(Thread::id).collect()
    }

    fn report(story: &mut Story, key: &str, text: &str, line: u32) -> RecordId {
        let mut said = story.reported_body("lint", key, text);
        said.anchor = Some(anchor(line).into());
        story.say(&Body::Comment(said))
    }

    #[test]
    fn one_of_several_records_with_one_key_is_shown_and_all_that_was_said_counts_for_it() {
        let mut story = Story::default();
        let three: Vec<RecordId> = (1..4).map(|line| report(&mut story, "k", "too long", line)).collect();
        let other = report(&mut story, "k2", "too long", 1);
        let lead = *three.iter().min().unwrap();
        let mut shown = vec![lead, other];
        shown.sort();
        assert_eq!(threads(&story), shown);
        let behind: Vec<RecordId> = three.iter().copied().filter(|id| *id != lead).collect();
        let reply = story.reply(behind[0], "bob", "why?");
        story.status(behind[0], "bob", &[], StatusWord::Resolved);
        let all = story.threads();
        let thread = all.thread_of(reply).unwrap();
        assert_eq!(
            (thread.id(), thread.state()),
            (behind[0], ThreadState::Resolved),
            "what was answered leads"
        );
        assert_eq!(thread.copies().len(), 2);
        assert!(
            three.iter().all(|id| all.thread_of(*id).unwrap().id() == behind[0]),
            "each name leads there"
        );
        assert_eq!(thread.comments().map(Comment::text).collect::<Vec<_>>(), ["too long", "why?"]);
    }

    #[test]
    fn what_people_wrote_is_never_a_copy() {
        let mut story = Story::default();
        for text in ["one", "two"] {
            let body = story.reported_body("lint", "k", text);
            story.say(&Body::Comment(CommentRecord { via: None, ..body }));
        }
        assert_eq!(threads(&story).len(), 2);
    }

    #[test]
    fn a_thread_that_a_person_answered_is_hidden_by_nothing_that_says_something_else() {
        let mut story = Story::default();
        let real = report(&mut story, "k", "overflows", 1);
        story.reply(real, "ann", "indeed");
        // Somebody makes up a record with the same key, and somebody who answers it.
        for nth in 0..8 {
            let forged = report(&mut story, "k", &format!("all is well {nth}"), 1);
            story.reply(forged, "bob", "yes");
        }
        let all = story.threads();
        let thread = all.thread(real).expect("it is still shown");
        assert_eq!(thread.comments().map(Comment::text).collect::<Vec<_>>(), ["overflows", "indeed"]);
        // What nobody answered goes behind what somebody did, whatever its id is.
        let unanswered = report(&mut story, "k", "fine", 1);
        assert_ne!(story.threads().thread_of(unanswered).unwrap().id(), unanswered);
    }

    #[test]
    fn two_that_people_answered_are_one_if_they_say_the_same() {
        let mut story = Story::default();
        let two = [report(&mut story, "k", "overflows", 1), report(&mut story, "k", "overflows", 2)];
        for (id, who) in two.into_iter().zip(["ann", "bob"]) {
            story.reply(id, who, "indeed");
        }
        let all = story.threads();
        assert_eq!(all.thread_of(two[0]).unwrap().replies().len(), 2);
        assert_eq!(threads(&story), [two[0].min(two[1])]);
    }

    #[test]
    fn the_better_founded_place_leads() {
        let mut story = Story::default();
        let body = story.reported_body("lint", "k", "too long");
        story.say(&Body::Comment(body));
        let placed = report(&mut story, "k", "too long", 3);
        assert_eq!(threads(&story), [placed]);
    }

    #[test]
    fn a_thread_is_in_each_review_that_one_of_its_copies_names() {
        let mut story = Story::default();
        let reviews = ["one", "two"].map(|name| story.review("ann", &format!("refs/heads/{name}")));
        for (review, text) in [(0, "a"), (1, "b"), (1, "c")] {
            let body = story.reported_body("lint", "k", text);
            story.say(&Body::Comment(CommentRecord { review: Some(reviews[review]), ..body }));
        }
        let all = story.threads();
        let shown = threads(&story);
        for review in reviews {
            assert_eq!(all.threads_in(review).map(Thread::id).collect::<Vec<_>>(), shown);
        }
    }
}
