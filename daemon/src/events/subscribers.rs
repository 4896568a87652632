//! Who wants events of a repository, and what each of them knows.
//!
//! Only the mark of each subscriber is kept. The service computes what changed since, once for all
//! subscribers with the same mark. Nothing here asks for it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use postil_protocol::{
    ChangesReply, Ended, Event, HeadName, Hex, Mark, RepositoryName, Resolving, Topic, ViaView,
};

use super::outbox::Outbox;

/// One subscription of one client.
#[derive(Debug)]
pub(crate) struct Subscriber {
    /// The number that its events have.
    pub(crate) number: u64,
    /// What it wants events of, and what it knows.
    pub(crate) question: ChangesQuery,
    /// Where its events go.
    pub(crate) outbox: Outbox,
    /// The head that the positions it knows are for.
    head: Option<Hex>,
    /// Whether it knows that positions are being computed, and has not got them yet.
    announced: bool,
}

/// What is asked of the service for a subscriber: those who ask the same get the same events.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangesQuery {
    /// From where the repository is looked at.
    pub(crate) viewpoint: WatchedView,
    /// Which part of it.
    pub(crate) topic: Topic,
    /// What is known already.
    pub(crate) mark: Mark,
    /// The program that asks, if it is not a person by hand: what it gets may be less.
    pub(crate) via: Option<ViaView>,
}

/// From where a repository is looked at: a work tree, and whether its files on disk count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WatchedView {
    /// As the client names it, and as events name it.
    pub(crate) name: RepositoryName,
    /// Its git directory as a snapshot names it, found once, so that no event waits for the disk.
    pub(crate) git_dir: PathBuf,
    /// What places are for.
    pub(crate) places: PositionScope,
}

/// What places are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PositionScope {
    /// The commit that is checked out.
    Head,
    /// The files on disk.
    WorkTree,
}

impl PositionScope {
    /// As the service calls it.
    pub(crate) fn head(self) -> HeadName {
        match self {
            Self::Head => HeadName::Head,
            Self::WorkTree => HeadName::WorkTree,
        }
    }
}

/// A longer event becomes a reset: a client would be cut off that has another one waiting.
const MAX_EVENT_BYTES: usize = 2 << 20;

/// All subscribers of one repository.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    subscribers: Vec<Subscriber>,
    /// Whether there is a new subscriber that has not received the changes since its mark.
    has_newcomers: bool,
}

impl Subscriber {
    /// A subscriber whose mark is in `question`, while `head` is checked out.
    pub(crate) fn new(number: u64, question: ChangesQuery, head: Option<Hex>, outbox: Outbox) -> Self {
        Self { number, question, outbox, head, announced: false }
    }

    /// Tells it that positions are being computed.
    fn announce(&mut self, to: Option<&Hex>) {
        self.announced = true;
        self.outbox.event(&Event::Resolving(Resolving {
            subscription: self.number,
            git_dir: self.question.viewpoint.name.git_dir.clone(),
            to: to.cloned(),
        }));
    }

    /// Sends what happened since the mark, and advances the mark.
    fn send(&mut self, reply: &ChangesReply) {
        // A head can move after the last look at the refs and before this answer was computed. Clients rely on
        // hearing of every move, also of one that moves no thread, and of it before its positions.
        if !self.announced && self.head != reply.head.commit {
            self.announce(reply.head.commit.as_ref());
        }
        self.head.clone_from(&reply.head.commit);
        let git_dir = &self.question.viewpoint.name.git_dir;
        for event in reply.events(self.number, git_dir, &self.question.mark, self.announced) {
            self.outbox.event(&event);
        }
        self.announced = false;
        self.question.mark.clone_from(&reply.mark);
    }
}

impl Subscribers {
    /// Adds a subscriber, who gets what happened since their mark.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
        self.has_newcomers = true;
    }

    /// Removes the subscribers with these numbers.
    pub(crate) fn remove(&mut self, numbers: &BTreeSet<u64>) {
        self.subscribers.retain(|subscriber| !numbers.contains(&subscriber.number));
    }

    /// Tells all subscribers that no more events come: the repository no longer exists.
    pub(crate) fn end(&mut self) {
        for subscriber in self.subscribers.drain(..) {
            let (subscription, git_dir) = (subscriber.number, subscriber.question.viewpoint.name.git_dir);
            subscriber.outbox.event(&Event::Ended(Ended { subscription, git_dir }));
        }
    }

    /// Whether there was a new subscriber since the last call.
    pub(crate) fn take_newcomers(&mut self) -> bool {
        std::mem::take(&mut self.has_newcomers)
    }

    /// The git directories with subscribers.
    pub(crate) fn git_dirs(&self) -> BTreeSet<PathBuf> {
        self.subscribers.iter().map(|subscriber| subscriber.question.viewpoint.git_dir.clone()).collect()
    }

    /// What is to be asked for all of them, each question once.
    pub(crate) fn questions(&self) -> BTreeSet<ChangesQuery> {
        self.subscribers.iter().map(|subscriber| subscriber.question.clone()).collect()
    }

    /// The viewpoints from which files on disk count.
    pub(crate) fn work_trees(&self) -> BTreeSet<RepositoryName> {
        let live = |subscriber: &&Subscriber| subscriber.question.viewpoint.places == PositionScope::WorkTree;
        let live = self.subscribers.iter().filter(live);
        live.map(|subscriber| subscriber.question.viewpoint.name.clone()).collect()
    }

    /// How many subscribers there are.
    pub(crate) fn len(&self) -> usize {
        self.subscribers.len()
    }

    /// Tells all subscribers of that git directory that positions are being computed.
    ///
    /// Those that have the positions of that head already hear nothing: an answer can be for a head that the task has
    /// not seen yet.
    pub(crate) fn resolving(&mut self, git_dir: &Path, to: Option<&Hex>) {
        let there = |subscriber: &&mut Subscriber| subscriber.question.viewpoint.git_dir == git_dir;
        let waits = |subscriber: &&mut Subscriber| subscriber.announced || subscriber.head.as_ref() != to;
        for subscriber in self.subscribers.iter_mut().filter(there).filter(waits) {
            subscriber.announce(to);
        }
    }

    /// Sends the reply to all subscribers with this question.
    pub(crate) fn send(&mut self, question: &ChangesQuery, reply: &ChangesReply) {
        let reset;
        let reply = if fits(reply) {
            reply
        } else {
            reset = reply.without_words();
            &reset
        };
        for subscriber in self.subscribers.iter_mut().filter(|subscriber| subscriber.question == *question) {
            subscriber.send(reply);
        }
    }
}

/// Whether an answer is small enough to be sent to everybody who subscribed.
fn fits(reply: &ChangesReply) -> bool {
    serde_json::to_vec(reply).is_ok_and(|text| text.len() <= MAX_EVENT_BYTES)
}
